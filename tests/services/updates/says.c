/* A server that says which version it is. FAULTS: it faults so many ticks after it has begun. */
#include <pebble.h>

#ifndef VERSION
#define VERSION 1
#endif

static word version(void)
{
    return VERSION;
}
int main(void)
{
    portal_register("says.version", "np", version, 0, 1);
#ifdef FAULTS
    hrsleep(FAULTS);
    *(volatile int *)8 = 0;
#endif
    thread_exit();
}
