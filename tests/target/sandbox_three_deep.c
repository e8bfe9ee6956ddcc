// same-output many_portals
// timeout 60
/* The program of many_portals.c in a sandbox in a sandbox in a sandbox. */
#define main program
#include "many_portals.c"
#undef main

#define DEPTH 3

static volatile int child;

static int intercept(int portal, int p1, int p2, int p3, int p4, int p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static int opened(int asid, int portal, char *spec)
{
    char stub[NAMELEN] = "sm=", *out = stub + 3;
    (void)asid;
    for (char *letter = spec + 2; *letter; letter++)
        if (!strchr("c=tah", *letter))
            *out++ = *letter;
    /* The child may run before domain_fork returns here. */
    while (!child)
        yield();
    return portal_create_child(child, portal, stub, 0, intercept);
}
static int sandbox(int depth)
{
    int status;
    if (depth == 0)
        return program();
    portal_notify(opened);
    child = 0;
    child = domain_fork(intercept);
    if (child == 0)
        exit(sandbox(depth - 1));
    domain_wait(child, &status);
    return status;
}
int main(void)
{
    return sandbox(DEPTH);
}
