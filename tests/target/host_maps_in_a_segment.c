// isolation sfi
// host tests/hosts/mapping
// timeout 120
// expect status 0
// expect stdout all holds
/* A host maps files and pages, and its heap grows: where its fault domain (this) writes there is nothing of that. */
#include <fault_domain.h>

static word overwrite(char *at)
{
    static const char text[] = "OWNED by the fault domain";
    for (unsigned n = 0; n < sizeof text; n++)
        ((volatile char *)at)[n] = text[n];
    return 1;
}
static word peek(volatile char *at) { return *at; }
FAULT_DOMAIN(overwrite, peek)
