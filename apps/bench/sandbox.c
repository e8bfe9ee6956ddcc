/* USENIX section 6.1: what an iteration of two P and two V costs in a sandbox that sees each call, and without it. */
#include "bench.h"

static int count, child;

static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
/* A portal was opened on the child's behalf: the child gets a stub of the same arguments, less those that are inserted. */
static int opened(int asid, int portal, char *specification)
{
    (void)asid;
    return portal_create_stub(child, portal, specification, intercept);
}
static void iterations(const char *specification)
{
    int ping = sem_create(0), pong = sem_create(0);
    if (fork() == 0)
        for (;;) {
            sem_wait(ping);
            sem_post(pong);
        }
    unsigned long value = MEASURE(count, (sem_post(ping), sem_wait(pong)));
    ROW(value, .table = "usenix-6.1", .operation = "sandbox", .specification = specification, .measure = "round-trip");
}
/* In a domain of its own, because the second thread ends with it. */
static void in_domain(const char *specification, word (*seen)())
{
    int status;
    child = domain_fork(seen);
    if (child == 0) {
        iterations(specification);
        exit(0);
    }
    domain_wait(child, &status);
}
int main(int argc, char **argv)
{
    count = repetitions(argc, argv);
    in_domain("none", NULL);
    portal_notify(opened);
    in_domain("interposed", intercept);
    return 0;
}
