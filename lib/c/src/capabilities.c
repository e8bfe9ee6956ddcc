/* Capabilities: the capability manager's portals. One that was started again knows no capability of before. */
#include "system.h"

/* Portals that are opened at the first use; < 0: why they could not be. */
static int create, reduce, revoke, drop, info;

word cap_create(unsigned long object, unsigned long rights, int flags)
{
    return CALLED(create, PEBBLE_CAPABILITY_CREATE, through, pebble_capability_create(through, object, rights, flags));
}
word cap_reduce(word cap, unsigned long rights, int flags)
{
    return CALLED(reduce, PEBBLE_CAPABILITY_REDUCE, through, pebble_capability_reduce(through, cap, rights, flags));
}
int cap_revoke(word cap)
{
    return CALLED(revoke, PEBBLE_CAPABILITY_REVOKE, through, pebble_capability_revoke(through, cap));
}
int cap_drop(word cap)
{
    return CALLED(drop, PEBBLE_CAPABILITY_DROP, through, pebble_capability_drop(through, cap));
}
int cap_info(word cap, struct cap_info *out)
{
    struct capability found;
    int result = CALLED(info, PEBBLE_CAPABILITY_INFO, through, pebble_capability_info(through, cap, &found));
    if (result == 0)
        *out = (struct cap_info){found.object, found.rights, found.flags, found.issuer};
    return result;
}
