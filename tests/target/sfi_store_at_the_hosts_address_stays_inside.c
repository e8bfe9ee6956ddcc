// isolation sfi
// expect status 0
// expect stdout the host has what it had, and the fault domain what was stored
/* A store to the host's memory ends in the fault domain's own, at the same offset of its segment. It may read the host's. */
#include <pebble.h>

static volatile unsigned block[0x10000];

int main(void)
{
    /* The host's main stack ends at 0x40000; the segment's base is a multiple of 64 MiB, of 1 GiB or of 4. */
    uintptr_t at = (uintptr_t)block, size = 1ul << (at >> 37 ? 30 : at >> 32 ? 32 : 26);
    volatile unsigned *host = (unsigned *)0x3e000;
    volatile unsigned *own = (unsigned *)(((uintptr_t)block & -size) + 0x3e000);
    if (own < block || own >= block + sizeof block / sizeof *block)
        return 1;
    unsigned before = *host;
    *own = before;
    *host = ~before;
    int host_is = *host == before, own_is = *own == ~before;
    printf("the host has %s, and the fault domain %s\n", host_is ? "what it had" : "something else",
           own_is ? "what was stored" : "what it had");
    return !host_is || !own_is;
}
