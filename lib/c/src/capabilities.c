/* Capabilities: the capability manager's portals. */
#include "system.h"

/* Portals that are opened at the first use; < 0: why they could not be. */
static int create, reduce, revoke, drop, info;

int cap_create(unsigned long object, unsigned long rights, int flags)
{
    int portal = __pebble_opened(&create, "capability.create");
    return portal < 0 ? portal : invoke_portal(portal, object, rights, (word)flags);
}
int cap_reduce(int cap, unsigned long rights, int flags)
{
    int portal = __pebble_opened(&reduce, "capability.reduce");
    return portal < 0 ? portal : invoke_portal(portal, (word)cap, rights, (word)flags);
}
int cap_revoke(int cap)
{
    int portal = __pebble_opened(&revoke, "capability.revoke");
    return portal < 0 ? portal : invoke_portal(portal, (word)cap);
}
int cap_drop(int cap)
{
    int portal = __pebble_opened(&drop, "capability.drop");
    return portal < 0 ? portal : invoke_portal(portal, (word)cap);
}
int cap_info(int cap, struct cap_info *out)
{
    struct {
        uint64_t name, rights, flags, issuer, object;
    } __attribute__((aligned(64))) found;
    int portal = __pebble_opened(&info, "capability.info");
    int result = portal < 0 ? portal : invoke_portal(portal, (word)cap, &found);
    if (result == 0)
        *out = (struct cap_info){found.object, found.rights, found.flags, found.issuer};
    return result;
}
