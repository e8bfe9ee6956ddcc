/* What the tests of sandboxes share: the routine that gives the child a stub of each portal that is opened on its behalf. A
   test whose `intercept` does more than pass calls on defines OWN_INTERCEPT, and its own. */
#include <pebble.h>

static volatile int child;
static int intercept(int portal, int p1, int p2, int p3, int p4, int p5);

static int opened(int asid, int portal, char *spec)
{
    char stub[NAMELEN] = "sm=", *out = stub + 3;
    (void)asid;
    for (char *letter = spec + 2; *letter; letter++)
        if (!strchr("c=tahd", *letter))
            *out++ = *letter;
    /* The child may run before domain_fork returns here. */
    while (!child)
        yield();
    return portal_create_child(child, portal, stub, 0, intercept);
}
#ifndef OWN_INTERCEPT
static int intercept(int portal, int p1, int p2, int p3, int p4, int p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
#endif
