// same-output many_portals
// timeout 60
/* The program of many_portals.c in a sandbox in a sandbox in a sandbox. */
#define main program
#include "many_portals.c"
#undef main

#define DEPTH 3

#include "include/sandbox.h"

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
