// isolation sfi
// expect status 126
// expect stderr store page fault at address 0x1bf
// expect stderr of its fault domain (0x2
/* Recursion without end runs into the heap's end of the stack, where nothing is mapped. */
#include <pebble.h>

__attribute__((noinline)) static int deeper(volatile int *above)
{
    volatile int here[100];
    here[0] = above[0] + 1;
    if (here[0] < 0) /* never: the stack has room for a few thousand */
        return 0;
    return deeper(here) + here[0];
}
int main(void)
{
    volatile int start = 0;
    return deeper(&start);
}
