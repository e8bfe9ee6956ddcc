// expect stdout -204
/* Code that goes into portals is for trusted servers only. */
#include <pebble.h>
static char template[4096] __attribute__((aligned(4096)));
int main(void)
{
    int portal = portal_open("portal.template");
    if (portal < 0)
        return 1;
    printf("%ld\n", invoke_portal(portal, template, 0l));
    return 0;
}
