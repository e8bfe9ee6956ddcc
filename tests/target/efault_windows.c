// expect stdout unmapped -14
// expect stdout supervisor -14
// expect stdout wrapping -14
// expect stdout read-only for writing -14
#include <pebble.h>
static const char constant[64] = "x";
int main(void)
{
    int write = portal_open("console.write"), read = portal_open("console.read");
    printf("unmapped %ld\n", invoke_portal(write, 0x2000000l, 1l));
    printf("supervisor %ld\n", invoke_portal(write, 0xffffffff80400000l, 1l));
    printf("wrapping %ld\n", invoke_portal(write, -1l, 1l));
    printf("read-only for writing %ld\n", invoke_portal(read, constant, 1l));
    return 0;
}
