// isolation sfi
// matching
// expect status 126
// expect stderr of its fault domain (0x2
// expect stdout what lies inside is written
// expect stderr breakpoint
/* With segment matching a store to an address outside is a fault of that store: nothing is written in the segment in its place. */
#include <pebble.h>

static __thread volatile word own;

static __attribute__((noinline)) void store(volatile word *at, word value) { *at = value; }
int main(void)
{
    word inside = 0;
    store(&inside, 1);
    store(&own, 2);
    puts(inside == 1 && own == 2 ? "what lies inside is written" : "nothing is");
    fflush(stdout);
    /* The same offset in the host's space. */
    store((volatile word *)((uintptr_t)&own & 0x3ffffff), 3);
    return 0;
}
