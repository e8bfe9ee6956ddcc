/* What the tests of sandboxes share: the routine that gives the child a stub of each portal that is opened on its behalf. A
   test whose `intercept` does more than pass calls on defines OWN_INTERCEPT, and its own. */
#include <pebble.h>

static volatile int child;
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5);

static int opened(int asid, int portal, char *spec)
{
    (void)asid;
    /* The child may run before domain_fork returns here. */
    while (!child)
        yield();
    return portal_create_stub(child, portal, spec, intercept);
}
#ifndef OWN_INTERCEPT
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
#endif
