/* A small domain, as `footprint` counts one: a server with one entry point and a stack for it, a client of the console's, one thread. */
#include <pebble.h>

static word twice(word value)
{
    return 2 * value;
}
int main(void)
{
    if (portal_register("neighbour.twice", "npi", twice, 0, 1) < 0 || portal_open("console.write") < 0)
        return 1;
    for (;;)
        hrsleep(1ull << 40);
}
