/* A component in supervisor mode (tests/target/components/inside.c), which is started again when it has ended. */
#ifndef INSIDE_H
#define INSIDE_H

#include <pebble.h>

/* What it fails by. */
enum { LOADS_NOTHING, STORES_CODE, JUMPS_NOWHERE, JUMPS_TO_THE_RETURN_PAGE, JUMPS_TO_DATA, BREAKS, ILLEGAL, RECURSES, LOADS_A_CLOSED_WINDOW, EXITS, ENDS_THE_THREAD, WAITS, LOOPS, SLEEPS };

/* Opens one of its portals. */
static int inside(const char *portal_name)
{
    static _Alignas(64) char name[64] = "inside";
    int spawn = -1, portal;
    for (int n = 0; (portal = portal_open(portal_name)) < 0 && n < 2000; n++) {
        if (portal != -ENOENT && portal != -EDEAD)
            break;
        if (spawn < 0)
            spawn = portal_open("init.spawn");
        /* It may run already, and not have registered the portal yet. */
        invoke_portal(spawn, name, (word)strlen(name));
        hrsleep(20000);
    }
    if (spawn >= 0)
        portal_close(spawn);
    return portal;
}
#endif
