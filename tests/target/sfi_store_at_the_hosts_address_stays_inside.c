// isolation sfi
// expect status 0
// expect stdout the host has what it had, and the fault domain what was stored
/* A store to the host's memory ends in the fault domain's own, at the same offset of its segment. It may read the host's. */
#include <pebble.h>

static __thread volatile unsigned own;

int main(void)
{
    /* The host's code begins at 0x10000; a thread's variables are 0x12000 behind the segment's base, which is 64 MiB. */
    volatile unsigned *host = (unsigned *)((uintptr_t)&own & 0x3ffffff);
    unsigned before = *host;
    own = before;
    *host = ~before;
    int host_is = *host == before, own_is = own == ~before;
    printf("the host has %s, and the fault domain %s\n", host_is ? "what it had" : "something else",
           own_is ? "what was stored" : "what it had");
    return !host_is || !own_is;
}
