// isolation sfi
// expect status 126
// expect stderr instruction page fault at address 0x18048020, pc 0x18048020 of its fault domain
/* A call of a function of the host's ends in the segment, where no code is. */
#include <pebble.h>

int main(void)
{
    ((void (*)(void))0x48020)();
    return 0;
}
