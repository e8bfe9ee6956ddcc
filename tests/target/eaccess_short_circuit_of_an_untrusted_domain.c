// expect stdout -204
/* Code before a portal is for trusted servers only. */
#include <pebble.h>
static char circuit[256] __attribute__((aligned(256))) = "app.mine";
int main(void)
{
    int portal = portal_open("portal.short_circuit");
    if (portal < 0)
        return 1;
    printf("%ld\n", invoke_portal(portal, circuit));
    return 0;
}
