// timeout 90
#include "include/hostile.h"

/* Domains that die while a thread of theirs waits in a server: for an alarm, for a key, for bytes of a pipe or room in one, for a
   stack, and several servers deep. What they held there, stacks above all, is the server's again, and others are served. */
enum { MANY = 12, LONG = 1 };
static _Alignas(4096) char page[4096];
static int alarm_portal, raw, line, deep, ends[2], full[2];

static void in_alarm(void) { invoke_portal(alarm_portal, 1l << 62); }
static void in_raw(void) { invoke_portal(raw, page, 10l); }
static void in_line(void) { invoke_portal(line, page, 10l); }
static void in_read(void) { invoke_portal(ends[0], page, 100l); }
static void in_write(void) { invoke_portal(full[1] + 1, page, 100l); }
static void in_deep(void) { invoke_portal(deep); }
static void (*const waits[])(void) = {in_alarm, in_raw, in_line, in_read, in_write, in_deep};

/* Who calls it meanwhile may have its place for a moment. */
static void has_an_alarm(void *unused)
{
    (void)unused;
    while (invoke_portal(alarm_portal, 1l << 62) == -EBUSY)
        yield();
}
/* A server that waits in another one for its caller. */
static word deeper(void)
{
    return invoke_portal(alarm_portal, 1l << 62);
}
static int attack(void)
{
    int status, ready = sem_create(0);
    alarm_portal = portal_open("clock.alarm");
    raw = portal_open("console.raw");
    line = portal_open("console.read");
    wall(1, alarm_portal > 0 && raw > 0 && line > 0 && pipe(ends) == 0 && pipe(full) == 0);
    wall(2, invoke_portal(full[1] + 1, page, 4096l) == 4096);
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.deep", "nm", deeper, 0, 2);
        sem_post(ready);
        sem_wait(sem_create(0));
        exit(1);
    }
    wall(3, server > 0 && sem_wait(ready) == 0 && (deep = portal_open("app.deep")) > 0);
    for (unsigned what = 0; what < sizeof waits / sizeof *waits; what++)
        for (int n = 0; n < MANY; n++) {
            int child = domain_fork(0);
            if (child == 0) {
                sem_post(ready);
                waits[what]();
                exit(1);
            }
            wall(4, child > 0 && sem_wait(ready) == 0);
            hrsleep(500000);
            int killed = domain_kill(child);
            int waited = domain_wait(child, &status);
            /* The end of the program's own input is a key that somebody gets. */
            wall(5, (killed == 0 || killed == -ESRCH) && waited == 0);
        }
    /* Nobody is left in a wait: there is a place for three readers, and for three alarms. */
    int threads[3];
    for (int n = 0; n < 3; n++) {
        threads[n] = thread_create(has_an_alarm, 0, -1);
        wall(6, threads[n] > 0);
    }
    /* Until they have asked. */
    word fourth;
    while ((fourth = invoke_portal_timed(1000000, alarm_portal, 1l << 62)) == -ETIMEDOUT)
        ;
    wall(7, invoke_portal_timed(20000000000ull, portal_open("clock.time")) != -ETIMEDOUT);
    wall(8, fourth == -EBUSY);
    for (int n = 0; n < 3; n++)
        wall(9, thread_cancel(threads[n]) == 0 && thread_join(threads[n]) == 0);
    wall(10, invoke_portal(alarm_portal, 1l) == 0);
    /* The pipes have lost nothing and are as they were. */
    wall(11, invoke_portal(ends[1] + 1, "abcd", 4l) == 4 && invoke_portal(ends[0], page, 100l) == 4 && !memcmp(page, "abcd", 4));
    wall(12, invoke_portal(full[0], page, 4096l) == 4096 && invoke_portal(full[1] + 1, page, 100l) == 100);
    wall(13, domain_kill(server) == 0 && domain_wait(server, &status) == 0);
    return 0;
}
