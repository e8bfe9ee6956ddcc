/* A sandbox: the child runs with every one of its portal calls coming here first. Counts them, and says what an iteration of a
   semaphore ping-pong costs inside. Try it on a program of yours: nothing in the child knows. */
#include <pebble.h>

#define ROUNDS 1000

static int calls[NPORTALS];
static volatile int child;

/* Every call of the child's. */
static word intercept(word portal, word p1, word p2, word p3, word p4, word p5)
{
    calls[portal]++;
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
/* A portal was opened on the child's behalf: the child gets a stub of the same arguments, less those that are inserted. */
static int opened(int asid, int portal, char *spec)
{
    (void)asid;
    /* The child may run before domain_fork returns here. */
    while (!child)
        yield();
    return portal_create_stub(child, portal, spec, intercept);
}
static void ping_pong(void)
{
    int ping = sem_create(0), pong = sem_create(0);
    if (fork() == 0)
        for (;;) {
            sem_wait(ping);
            sem_post(pong);
        }
    unsigned long long start = hrtime();
    for (int i = 0; i < ROUNDS; i++) {
        sem_post(ping);
        sem_wait(pong);
    }
    printf("an iteration: %llu cycles\n", 2 * (hrtime() - start) / ROUNDS);
}
int main(void)
{
    int status;
    portal_notify(opened);
    child = domain_fork(intercept);
    if (child == 0) {
        ping_pong();
        exit(0);
    }
    domain_wait(child, &status);
    for (int portal = 1; portal < NPORTALS; portal++)
        if (calls[portal])
            printf("portal %3d was called %d times\n", portal, calls[portal]);
    return status;
}
