// ways plain touch slices strict strict-touch
/* Not in a sandbox: the page is the controlling domain's when that one's own call is not made, and comes back to it; whether the attacker has
   it again is for the routine that interposes to say, and this one's does not give it back. */
/* A call gives a page away and ends before it is made, for its portal is closed while it waits for a stack. The page is back, and what
   the thread's next call finds is not this one's: an honest server on that thread, whose own call fails, keeps the page that it has at
   the same address. */
#include "include/hostile.h"

enum { PAGE = 4096 };
static _Alignas(4096) char page[PAGE];
static int ready, inside, leave, closed;

static word hold(void)
{
    sem_post(inside);
    sem_wait(leave);
    return 0;
}
static word take(char *pages, long bytes)
{
    (void)bytes;
    return pages[0];
}
/* The honest server: a call of its own fails for an address that it does not have. */
static int report;
static word look(void)
{
    word failed = invoke_portal(report, (void *)0x18000000ul);
    return failed == -EFAULT ? page[0] : failed;
}
static word shown(char *window) { return window[0]; }

static void occupies(void *portal) { invoke_portal((int)(long)portal); }
static void closes(void *portal)
{
    /* The giver waits by then. */
    hrsleep(3 * HOSTILE_TICKS);
    portal_close((int)(long)portal);
    sem_post(closed);
    sem_post(leave);
}
static int attack(void)
{
    ready = sem_create(0), inside = sem_create(0), leave = sem_create(0), closed = sem_create(0);
    int status, honest, callee = domain_fork(0);
    if (callee == 0) {
        if (portal_register("app.hold", "nm", hold, 0, 1) || portal_register("app.take", "nm>i", take, 0, 0))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    honest = domain_fork(0);
    if (honest == 0) {
        page[0] = 'h';
        if (portal_register("app.look", "nm", look, 0, 1) || portal_register("app.shown", "nmr", shown, 0, 1))
            exit(1);
        report = portal_open("app.shown");
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int give = portal_open("app.take"), looks = portal_open("app.look");
    page[0] = 'a';
    thread_create(occupies, (void *)(long)portal_open("app.hold"), -1);
    sem_wait(inside);
    thread_create(closes, (void *)(long)give, -1);
    word given = invoke_portal(give, page, (long)PAGE);
    wall(1, given == -EPORTAL);
    wall(2, sem_wait(closed) == 0);
    wall(3, invoke_portal(looks) == 'h');
    wall(4, page[0] == 'a');
    domain_kill(callee);
    domain_kill(honest);
    domain_wait(callee, &status);
    domain_wait(honest, &status);
    return 0;
}
