// expect stdout 200 threads came and went in the sandbox
// timeout 60
#include <pebble.h>
/* A thread of a sandboxed domain ends on its way back from the sandbox, and leaves the stack that it used there. */
static volatile int count;
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static void body(void *argument)
{
    (void)argument;
    count++;
}
int main(void)
{
    int status, child;
    int out = portal_open("console.write");
    (void)out;
    printf("the console is open\n");
    child = domain_fork(intercept);
    if (child == 0) {
        for (int i = 0; i < 200; i++)
            thread_join(thread_create(body, 0, -1));
        printf("%d threads came and went in the sandbox\n", count);
        exit(0);
    }
    domain_wait(child, &status);
    return status;
}
