/* What a server passes to give portals to its caller (portal 30). */
#ifndef GRANT_H
#define GRANT_H

#include <pebble.h>

enum { GRANT = 30 };
static struct {
    uint64_t count, gone, constant;
    struct {
        char spec[16];
        uint64_t entry;
    } portals[4];
} grant __attribute__((aligned(256)));

/* Gives `count` portals, all alike; the first one's number, or an error. */
static int give_portals(int count, const char *spec, void *entry)
{
    grant.count = count;
    for (int n = 0; n < count; n++) {
        strcpy(grant.portals[n].spec, spec);
        grant.portals[n].entry = (uint64_t)entry;
    }
    return invoke_portal(GRANT, &grant);
}
#endif
