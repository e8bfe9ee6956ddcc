// isolation sfi
// expect status 126
// expect stderr store page fault at address 0x18000000, pc 0x18020
/* A store to where nothing is mapped ends the fault domain; its host goes on, and says so. */
#include <pebble.h>

int main(void)
{
    *(volatile int *)0 = 1;
    return 0;
}
