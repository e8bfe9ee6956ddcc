// expect stdout loops: timed out, and others are served: 42
// expect stdout waits: timed out
// expect stdout nothing was opened afterwards: 1
// expect stdout a thread that is cancelled: ECANCELED
// expect stdout as ever: 42
/* A portal that is asked who may open a name and never answers holds up who opens it, and nobody else; with a deadline, not even that. */
#include <pebble.h>

enum { LOOPS = 1, WAITS, ANSWERS };
#define MILLISECOND 500000ull
static volatile int go_on;
static int never, waiting, done;
static volatile int how;
static word judge(word client, word identity, word token)
{
    (void)client, (void)identity, (void)token;
    if (how == LOOPS)
        while (!go_on)
            ;
    if (how == WAITS) {
        sem_post(done);
        sem_wait(waiting);
    }
    return 0;
}
static word set_how(word value)
{
    go_on = value == ANSWERS;
    return how = value;
}
static word answer(void) { return 42; }
static volatile int opened;
static void opens(void *unused)
{
    (void)unused;
    opened = portal_open("app.asked");
}
int main(void)
{
    never = sem_create(0), waiting = sem_create(0), done = sem_create(0);
    if (domain_fork(0) == 0) {
        portal_register("app.judge", "npiii", judge, 0, 4);
        portal_register("app.how", "npi", set_how, 0, 0);
        portal_register_asked("app.asked", "np", answer, 0, 0, portal_open("app.judge"), 0);
        portal_register("app.other", "np", answer, 0, 0);
        sem_post(done);
        sem_wait(never);
    }
    sem_wait(done);
    int decide = portal_open("app.how");
    invoke_portal(decide, LOOPS);
    int result = portal_open_timed(50 * MILLISECOND, "app.asked");
    int other = portal_open_timed(10000 * MILLISECOND, "app.other");
    printf("loops: %s, and others are served: %ld\n", result == -ETIMEDOUT ? "timed out" : "?", invoke_portal(other));
    /* Numbers are given out from the lowest: what was opened late would have taken this one. */
    int before = sem_create(0);
    sem_destroy(before);
    invoke_portal(decide, ANSWERS);
    hrsleep(100 * MILLISECOND);
    invoke_portal(decide, WAITS);
    result = portal_open_timed(50 * MILLISECOND, "app.asked");
    printf("waits: %s\n", result == -ETIMEDOUT ? "timed out" : "?");
    hrsleep(100 * MILLISECOND);
    while (sem_trywait(done) == 0) {}
    int after = sem_create(0);
    printf("nothing was opened afterwards: %d\n", after == before);
    int thread = thread_create(opens, 0, -1);
    sem_wait(done);
    thread_cancel(thread);
    thread_join(thread);
    printf("a thread that is cancelled: %s\n", opened == -ECANCELED ? "ECANCELED" : pebble_strerror(opened));
    invoke_portal(decide, ANSWERS);
    printf("as ever: %ld\n", invoke_portal(portal_open("app.asked")));
    return 0;
}
