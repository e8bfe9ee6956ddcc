/* A portal of a server that is not there yet, or is started again. */
#pragma once
#include <pebble.h>

#define MILLISECOND 500000ull /* at 1 GHz; a tick is two cycles */

/* Waits for it for at most a second. */
static int opened(const char *name)
{
    int portal;
    for (int n = 0; (portal = portal_open(name)) < 0 && n < 1000; n++)
        hrsleep(MILLISECOND);
    return portal;
}
/* The same of the portal whose name is the component's, a dot and this. */
static inline int called(const char *component, const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "%s.%s", component, what);
    return opened(name);
}
