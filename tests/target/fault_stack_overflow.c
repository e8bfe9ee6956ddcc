// expect status 126
// expect stderr store page fault at address 0x2ef
#include <pebble.h>
#pragma GCC diagnostic ignored "-Winfinite-recursion"
static int deeper(int n)
{
    volatile char frame[512];
    frame[0] = n;
    return deeper(n + 1) + frame[0];
}
int main(void)
{
    return deeper(0);
}
