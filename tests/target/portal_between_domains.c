// expect stdout the child's call: 15
// expect stdout status 4
#include <pebble.h>
static int base = 10;
static word add(word x)
{
    return base + x;
}
int main(void)
{
    if (portal_register("app.add", "npi", add, 0, 2) != 0)
        return 1;
    int child = domain_fork(0), status;
    if (child == 0) {
        base = 0; /* the child's own */
        int portal = portal_open("app.add");
        printf("the child's call: %ld\n", invoke_portal(portal, 5l));
        exit(4);
    }
    if (domain_wait(child, &status) != 0)
        return 2;
    printf("status %d\n", status);
    return base != 10;
}
