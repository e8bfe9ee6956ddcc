// isolation sfi
// expect status 126
/* A store to where nothing is mapped ends the fault domain; its host goes on, and says so. */
#include <pebble.h>

int main(void)
{
    *(volatile int *)0 = 1;
    return 0;
}
