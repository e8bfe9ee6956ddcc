// same-output files
// expect stdout gone: No such file or directory
/* The program of files.c in a sandbox that sees each of its calls. */
#define main program
#include "files.c"
#undef main

#include "include/sandbox.h"

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
