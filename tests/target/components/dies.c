/* A domain that dies while a copy of it has called it: for what is left of it in a core file. */
#include <pebble.h>

static volatile long last = 0x1234;
static int *volatile nothing;

static __attribute__((noinline)) int reaches(int depth)
{
    volatile int own = depth;
    return own > 0 ? reaches(depth - 1) + own : *nothing;
}
static word dies(word a, word b)
{
    last = a + b;
    return reaches(2) + 1;
}
int main(void)
{
    portal_register("app.dies", "npii", dies, NULL, 1);
    int status, portal = portal_open("app.dies"), child = domain_fork(0);
    if (child == 0)
        exit(invoke_portal(portal_open("app.dies"), 2, 3) == -EDEAD);
    (void)portal;
    domain_wait(child, &status);
    return 0;
}
