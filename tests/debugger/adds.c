/* What the debugger looks at: a client domain that calls its parent, which adds. */
#include <pebble.h>

static volatile long sum = 0x1234;

static word adds(word a, word b)
{
    sum = a + b;
    return sum;
}
#include <unistd.h>

static int asks(int portal)
{
    /* The rest of the system has come to where it waits by then. */
    usleep(200000);
    return invoke_portal(portal, 2, 3);
}
int main(void)
{
    portal_register("app.adds", "npii", adds, NULL, 1);
    int status, portal = portal_open("app.adds"), child = domain_fork(0);
    if (child == 0)
        exit(asks(portal_open("app.adds")));
    (void)portal;
    domain_wait(child, &status);
    printf("%d\n", status);
    return 0;
}
