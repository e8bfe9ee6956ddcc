// expect stdout open: not allowed by the manifest
// expect stdout register: not allowed by the manifest
#include <pebble.h>
static word entry(void)
{
    return 0;
}
int main(void)
{
    printf("open: %s\n", pebble_strerror(portal_open("memory.map")));
    printf("register: %s\n", pebble_strerror(portal_register("console.write", "smi", entry, 0, 0)));
    return 0;
}
