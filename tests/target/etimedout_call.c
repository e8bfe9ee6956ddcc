// expect stdout in time: 43
// expect stdout too late: -116, after the deadline and not long after: 1
// expect stdout the server is as it was, and finished the call: 2
// expect stdout a server that dies: -202
// expect stdout no such portal: -201
/* A call with a deadline: the caller goes on when the time is over, the server is not disturbed. */
#include <pebble.h>
static int calls, finished;
static word add_one(word value) { return value + 1; }
static word slow(word ticks)
{
    calls++;
    hrsleep(ticks);
    return ++finished;
}
static word counts(void) { return calls == 1 && finished == 1 ? 2 : -1; }
static word die(void)
{
    hrsleep(1000000);
    *(volatile int *)8 = 0;
    return 0;
}
#define MILLISECOND 500000ull /* at 1 GHz; a tick is two cycles */
int main(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.add", "nmi", add_one, 0, 2);
        portal_register("app.slow", "nmi", slow, 0, 0);
        portal_register("app.counts", "nm", counts, 0, 0);
        portal_register("app.die", "nm", die, 0, 0);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int portal = portal_open("app.slow");
    printf("in time: %ld\n", invoke_portal_timed(10000 * MILLISECOND, portal_open("app.add"), 42l));
    unsigned long long start = hrtime();
    word result = invoke_portal_timed(20 * MILLISECOND, portal, 1000 * MILLISECOND);
    unsigned long long took = hrtime() - start;
    printf("too late: %ld, after the deadline and not long after: %d\n", result,
           took >= 20 * MILLISECOND && took < 800 * MILLISECOND);
    hrsleep(2000 * MILLISECOND);
    printf("the server is as it was, and finished the call: %ld\n", invoke_portal(portal_open("app.counts")));
    printf("a server that dies: %ld\n", invoke_portal_timed(10000 * MILLISECOND, portal_open("app.die")));
    printf("no such portal: %ld\n", invoke_portal_timed(10000 * MILLISECOND, 500));
    domain_wait(server, &status);
    return 0;
}
