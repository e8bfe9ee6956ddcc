// expect stdout -22
#include <pebble.h>
_Alignas(4096) static char page[4096];
int main(void)
{
    printf("%ld\n", invoke_portal(portal_open("console.write"), page + 4000, 97l));
    return 0;
}
