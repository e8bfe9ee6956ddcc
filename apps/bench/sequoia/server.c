/* The untrusted functions as a component in an address space of its own. */
#include "polygons.h"
#include <pebble.h>

int main(void)
{
    int result = portal_register("polygon.function", "npiRiw", polygon_function, 0, 2);
    if (result < 0)
        return printf("polygon.function: %s\n", pebble_strerror(result)), 1;
    thread_exit();
}
