// expect stdout every call ended with EDEAD: 1600
// expect stdout waits that ended for nothing: 0
/* Threads are ready, or about to be, in a domain when it is ended. Each may be back in its own domain, and wait there for something
   else, before the end is complete: that wait goes on. */
// icount
#include <pebble.h>
enum { CALLERS = 8, CYCLES = 200 };
static int start, inside, done, never, portal;
static volatile int dead, spurious;

/* In and out of the scheduler at times that have nothing to do with each other. */
static word serve(word n)
{
    int i = 0;
    sem_post(inside);
    while (sem_timedwait(never, 5000 + 1700 * ((n * 7 + i * 3) % 11)) != 0)
        i++;
    return 0;
}
static void caller(void *n)
{
    for (;;) {
        if (sem_wait(start) != 0) {
            spurious++;
            continue;
        }
        if (invoke_portal(portal, n) == -EDEAD)
            dead++;
        sem_post(done);
    }
}
int main(void)
{
    int ready = sem_create(0), status;
    never = sem_create(0), start = sem_create(0), inside = sem_create(0), done = sem_create(0);
    for (int n = 0; n < CALLERS; n++)
        thread_create(caller, (void *)(word)n, -1);
    set_priority(10);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int child = domain_fork(0);
        if (child == 0) {
            portal_register("app.sleepy", "npi", serve, 0, CALLERS);
            sem_post(ready);
            sem_wait(never);
        }
        sem_wait(ready);
        portal = portal_open("app.sleepy");
        for (int n = 0; n < CALLERS; n++)
            sem_post(start);
        for (int n = 0; n < CALLERS; n++)
            sem_wait(inside);
        /* It sleeps by the callers' priority: the deadlines of so many, all due before, would keep a lower one's waiting for good. */
        set_priority(20);
        hrsleep(10000 + 997 * (cycle % 100));
        set_priority(10);
        domain_kill(child);
        for (int n = 0; n < CALLERS; n++)
            sem_wait(done);
        domain_wait(child, &status);
        portal_close(portal);
    }
    printf("every call ended with EDEAD: %d\nwaits that ended for nothing: %d\n", dead, spurious);
    return 0;
}
