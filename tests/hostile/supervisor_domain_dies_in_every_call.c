// system supervised
// timeout 200
/* A component in supervisor mode fails in every way (stray loads, stores and jumps, a stack that ends, instructions that are none, windows that are
   closed) while others have lent it pages that it has lent on, and they and those are killed meanwhile. Nobody's pages change, all get an answer, and it
   starts again. */
#include "include/lenders.h"

#define RETURN_PAGE 0x3ffff000l

/* Each way by itself, in a call that lends nothing. */
static int fails_each(void)
{
    for (int way = LOADS_NOTHING; way <= SLEEPS; way++) {
        int portal = inside("inside.fails"), ends = way != WAITS && way != LOOPS && way != SLEEPS;
        wall(1, portal > 0);
        word argument = way == JUMPS_TO_THE_RETURN_PAGE ? RETURN_PAGE : 1l << 40;
        word result = ends ? invoke_portal(portal, (word)way, argument)
                           : invoke_portal_timed(HOSTILE_TICKS, portal, way, argument, 0, 0, 0, 0);
        if (result != (ends ? -EDEAD : -ETIMEDOUT))
            printf("way %d: %ld\n", way, result);
        wall(2, result == (ends ? -EDEAD : -ETIMEDOUT));
        portal_close(portal);
    }
    return 0;
}
static int attack(void)
{
    int failed = fails_each();
    return failed ? failed : lend_and_die(hostile_rounds(16));
}
