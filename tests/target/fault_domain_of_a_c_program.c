// isolation sfi
// host tests/hosts/in_c
// timeout 60
// expect status 0
// expect stdout all holds
/* What a host in C (tests/hosts/in_c) loads and calls. */
#include <fault_domain.h>

static word add(word a, word b) { return a + b; }
static word fill(char *at, word bytes) { return memset(at, 'f', bytes) != at; }
static word read(const volatile char *at) { return *at; }
static word fault(void) { return *(volatile word *)8 = 1; }
static word recurse(volatile word *above)
{
    volatile word here[100];
    here[0] = (word)above;
    if (!here[0]) /* never */
        return 0;
    return recurse(here) + here[0];
}
/* Console, files: whatever the host has opened at the first number that is not the system's. */
static word open(void) { return pebble_call3(64, 0, 0, 0); }
static word leave(word status) { exit(status); }

int main(void)
{
    static const struct fault_domain_offer offer = {7, {add, fill, read, fault, recurse, open, leave}};
    char *some = malloc(100);
    if (!some)
        return 1;
    fault_domain_offer(&offer);
}
