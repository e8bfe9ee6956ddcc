/* Portals of components that are started beside the program, and may not have registered them yet. */
#pragma once
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>

/* Opens it once it is there; its number. */
static int once_there(const char *name)
{
    int portal;
    for (int tries = 0; (portal = portal_open(name)) < 0; tries++) {
        if (tries == 400)
            exit(printf("FAILED: %s: %s\n", name, pebble_strerror(portal)));
        hrsleep(10000000);
    }
    return portal;
}
