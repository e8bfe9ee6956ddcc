/* Capabilities: the capability manager's portals. */
#include "system.h"

/* Portals that are opened at the first use; < 0: why they could not be. */
static int create, reduce, revoke, drop, info;

word cap_create(unsigned long object, unsigned long rights, int flags)
{
    int portal = __pebble_opened(&create, PEBBLE_CAPABILITY_CREATE);
    return portal < 0 ? portal : pebble_capability_create(portal, object, rights, flags);
}
word cap_reduce(word cap, unsigned long rights, int flags)
{
    int portal = __pebble_opened(&reduce, PEBBLE_CAPABILITY_REDUCE);
    return portal < 0 ? portal : pebble_capability_reduce(portal, cap, rights, flags);
}
int cap_revoke(word cap)
{
    int portal = __pebble_opened(&revoke, PEBBLE_CAPABILITY_REVOKE);
    return portal < 0 ? portal : pebble_capability_revoke(portal, cap);
}
int cap_drop(word cap)
{
    int portal = __pebble_opened(&drop, PEBBLE_CAPABILITY_DROP);
    return portal < 0 ? portal : pebble_capability_drop(portal, cap);
}
int cap_info(word cap, struct cap_info *out)
{
    struct capability found;
    int portal = __pebble_opened(&info, PEBBLE_CAPABILITY_INFO);
    int result = portal < 0 ? portal : pebble_capability_info(portal, cap, &found);
    if (result == 0)
        *out = (struct cap_info){found.object, found.rights, found.flags, found.issuer};
    return result;
}
