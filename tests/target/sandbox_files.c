// same-output files
// expect stdout gone: No such file or directory
/* The program of files.c in a sandbox that sees each of its calls. */
#define main program
#include "files.c"
#undef main

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
int main(void)
{
    int status;
    portal_notify(opened);
    child = domain_fork(intercept);
    if (child == 0)
        exit(program());
    domain_wait(child, &status);
    return status;
}
