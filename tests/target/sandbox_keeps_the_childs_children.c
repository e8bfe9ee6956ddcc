// expect stdout the sandbox saw 2 exits and 2 openings
/* A child of a sandboxed domain is in the sandbox, too: its calls come to the same function. */
#include <pebble.h>

static int child, exits, openings;

static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    if (portal == 13)
        openings++;
    if (portal == SYS_EXIT)
        exits++;
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
int main(void)
{
    int status;
    child = domain_fork(intercept);
    if (child == 0) {
        portal_open("console.write");
        int inner = domain_fork(NULL);
        if (inner == 0) {
            portal_open("console.read");
            _Exit(0);
        }
        domain_wait(inner, &status);
        _Exit(0);
    }
    domain_wait(child, &status);
    printf("the sandbox saw %d exits and %d openings\n", exits, openings);
    return 0;
}
