// expect stdout all in it are gone
/* With a controlling domain end all in its sandbox, the children's children too, whoever of their parents is left. */
#include <pebble.h>

static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static int controller(void)
{
    int status, inner, child = domain_fork(intercept);
    if (child == 0) {
        if ((inner = domain_fork(NULL)) == 0)
            for (;;)
                hrsleep(100000000);
        _Exit(inner);
    }
    domain_wait(child, &status);
    /* Its number; it lives on without its parent. */
    return domain_kill(status) == -ESRCH ? 0 : status;
}
int main(void)
{
    int inner, domain = domain_fork(NULL);
    if (domain == 0)
        _Exit(controller());
    domain_wait(domain, &inner);
    if (inner > 0 && domain_kill(inner) == -ESRCH)
        printf("all in it are gone\n");
    return 0;
}
