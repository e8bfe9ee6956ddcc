// expect stdout app.f nmi
// expect stdout closed: no such portal
// expect stdout closing a system portal: no such portal
// expect stdout withdrawn: -2
#include <pebble.h>
static word f(word x)
{
    return x;
}
int main(void)
{
    char spec[NAMELEN], name[NAMELEN];
    portal_register("app.f", "nmi", f, 0, 1);
    if (portal_register("app.f", "nmi", f, 0, 1) != -EEXIST)
        return 1;
    int portal = portal_open("app.f");
    portal_info(portal, spec, name);
    printf("%s %s\n", name, spec);
    portal_close(portal);
    printf("closed: %s\n", pebble_strerror(invoke_portal(portal, 1l)));
    printf("closing a system portal: %s\n", pebble_strerror(portal_close(SYS_EXIT)));
    portal_unregister("app.f");
    printf("withdrawn: %d\n", portal_open("app.f"));
    return 0;
}
