// isolation sfi
// expect status 0
// expect stdout refused
/* What is opened by name and acts for the whole host is refused, too: a domain of protection would be shown the host's pages and enter the host's
   code, and code for portals would be the host's. */
#include <pebble.h>

int main(void)
{
    int wrong = dp_create("part") != -ENOTSUP;
    static const char *names[] = {"protection.create", "protection.operate", "portal.template", "portal.short_circuit"};
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        int portal = portal_open(names[n]);
        wrong += portal < 0 || invoke_portal(portal, 0l, 0l, 0l, 0l, 0l) != -ENOTSUP;
    }
    printf("%s\n", wrong ? "let through" : "refused");
    return wrong;
}
