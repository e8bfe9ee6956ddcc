// icount
// expect stdout a wait of a dead caller: -140
// expect stdout one that asks again and again: each -140, and not at once
// expect stdout the middle domain's death gives the thread back: -202, and it waits as before: -116
// expect stdout a wait two servers deep: -140 in both
// expect stdout a wait for a stack: -140
// expect stdout a sleep: -140, a join: -140, a wait with a time-out: -140
// expect stdout a lock is waited for until it is free
// expect stdout a call whose time is over: -140 in the server
// expect stdout a thread that is cancelled for good: -140 -140
// expect stdout who waits: 2 callers, 1 of this domain, 1 dead and cancelled
#include <pebble.h>
/* What a server's waits come to when those that they are for are no more, or have no patience left: it is told, each time. */

#define MILLISECOND 500000ull
enum { RESULTS = 16 };
/* In the server's memory; asked for by app.result. */
static volatile long results[RESULTS];
static volatile unsigned long long took;
static int never, other, joined_id;
static word wait_one(void)
{
    results[0] = 1;
    word result = sem_wait(never);
    results[0] = result;
    return result;
}
static word wait_again(void)
{
    word last = 0;
    unsigned long long start = 0;
    for (int n = 0; n < 5; n++) {
        word result = sem_wait(never);
        if (n == 0)
            start = hrtime();
        last = n == 0 || result == last ? result : 1;
    }
    took = hrtime() - start;
    results[1] = last;
    return last;
}
static word wait_deep(void)
{
    static int inner;
    if (!inner)
        inner = portal_open("app.inner");
    word result = invoke_portal(inner);
    results[2] = result;
    return result;
}
static word wait_kinds(void)
{
    results[3] = invoke_portal(5, 1l << 50); /* scheduler.sleep */
    results[4] = thread_join(joined_id);
    results[5] = sem_timedwait(never, 1ull << 50);
    return 0;
}
static word wait_stack(void)
{
    static int busy;
    if (!busy)
        busy = portal_open("app.busy");
    word result = invoke_portal(busy);
    results[6] = result;
    return result;
}
static int held;
static word wait_lock(void)
{
    /* A lock in the C library's manner. */
    while (sem_wait(held) == -ECANCELED)
        ;
    results[7]++;
    sem_post(held);
    return 0;
}
static word get_result(word n) { return n < 0 ? (word)took : results[n]; }
static word hold(word take) { return take ? sem_wait(held) : sem_post(held); }
static word count_callers(void)
{
    struct portal_caller caller;
    word callers = 0, dead = 0, own = 0;
    for (int thread = 0; (thread = portal_callers(thread, &caller)) > 0;) {
        callers++;
        dead += caller.asid == 0 && caller.cancelled;
        own += caller.asid != 0;
    }
    return callers << 16 | own << 8 | dead;
}
static void forever(void *unused)
{
    (void)unused;
    sem_wait(never);
}
static int result_portal;
static word result(word n) { return invoke_portal(result_portal, n); }
/* A child that calls `portal` and dies there. */
static void die_in(int portal)
{
    int status, child = domain_fork(0);
    if (child == 0) {
        invoke_portal(portal);
        exit(1);
    }
    hrsleep(4 * MILLISECOND);
    domain_kill(child);
    domain_wait(child, &status);
}
static word relay(void) { return invoke_portal(portal_open("app.wait_one")); }
static word block(void) { return sem_wait(never); }

static int middle_of_kill;
static void kill_middle(void *unused)
{
    (void)unused;
    hrsleep(10 * MILLISECOND);
    domain_kill(middle_of_kill);
}
static volatile long cancelled_results[2];
static void cancelled_thread(void *portal)
{
    cancelled_results[0] = invoke_portal((int)(long)portal);
    cancelled_results[1] = sem_wait(never);
}

int main(void)
{
    int ready = sem_create(0), status;
    never = sem_create(0);
    held = sem_create(1);
    int server = domain_fork(0);
    if (server == 0) {
        joined_id = thread_create(forever, 0, -1);
        portal_register("app.wait_one", "nm", wait_one, 0, 6);
        portal_register("app.wait_again", "nm", wait_again, 0, 0);
        portal_register("app.wait_deep", "nm", wait_deep, 0, 0);
        portal_register("app.wait_kinds", "nm", wait_kinds, 0, 0);
        portal_register("app.wait_stack", "nm", wait_stack, 0, 0);
        portal_register("app.wait_lock", "nm", wait_lock, 0, 0);
        portal_register("app.result", "nmi", get_result, 0, 0);
        portal_register("app.hold", "nmi", hold, 0, 0);
        portal_register("app.callers", "nm", count_callers, 0, 0);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    other = domain_fork(0);
    if (other == 0) {
        portal_register("app.inner", "nm", block, 0, 1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int one_stack = domain_fork(0);
    if (one_stack == 0) {
        portal_register("app.busy", "nm", block, 0, 1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int middle = domain_fork(0);
    if (middle == 0) {
        portal_register("app.relay", "nm", relay, 0, 1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    result_portal = portal_open("app.result");
    int wait_one_portal = portal_open("app.wait_one");

    die_in(wait_one_portal);
    hrsleep(20 * MILLISECOND);
    printf("a wait of a dead caller: %ld\n", result(0));

    die_in(portal_open("app.wait_again"));
    hrsleep(100 * MILLISECOND);
    printf("one that asks again and again: each %ld, and %s\n", result(1), result(-1) > 4 * (long)MILLISECOND ? "not at once" : "at once");

    /* This thread goes through the middle domain, which is killed by another thread meanwhile. */
    middle_of_kill = middle;
    thread_create(kill_middle, 0, -1);
    word relayed = invoke_portal(portal_open("app.relay"));
    word waited = sem_timedwait(never, 30 * MILLISECOND);
    printf("the middle domain's death gives the thread back: %ld, and it waits as before: %ld\n", relayed, waited);

    die_in(portal_open("app.wait_deep"));
    hrsleep(20 * MILLISECOND);
    printf("a wait two servers deep: %ld in both\n", result(2));

    /* The only stack of app.busy is in use. */
    int user = domain_fork(0);
    if (user == 0) {
        invoke_portal(portal_open("app.busy"));
        exit(0);
    }
    hrsleep(4 * MILLISECOND);
    die_in(portal_open("app.wait_stack"));
    hrsleep(20 * MILLISECOND);
    printf("a wait for a stack: %ld\n", result(6));
    domain_kill(user);

    die_in(portal_open("app.wait_kinds"));
    hrsleep(40 * MILLISECOND);
    printf("a sleep: %ld, a join: %ld, a wait with a time-out: %ld\n", result(3), result(4), result(5));

    int hold_portal = portal_open("app.hold");
    invoke_portal(hold_portal, 1l);
    die_in(portal_open("app.wait_lock"));
    hrsleep(30 * MILLISECOND);
    word early = result(7);
    invoke_portal(hold_portal, 0l);
    hrsleep(30 * MILLISECOND);
    printf("a lock is waited for %s\n", early == 0 && result(7) == 1 ? "until it is free" : "wrongly");

    word timed = invoke_portal_timed(4 * MILLISECOND, wait_one_portal);
    hrsleep(20 * MILLISECOND);
    printf("a call whose time is over: %ld in the server\n", timed == -ETIMEDOUT ? result(0) : timed);

    int cancelled = thread_create(cancelled_thread, (void *)(long)wait_one_portal, -1);
    hrsleep(4 * MILLISECOND);
    thread_cancel(cancelled);
    thread_join(cancelled);
    printf("a thread that is cancelled for good: %ld %ld\n", cancelled_results[0], cancelled_results[1]);

    /* One caller in the server is in a wait that it does not give up, and dead; the other is this one. */
    int again = domain_fork(0);
    if (again == 0) {
        invoke_portal(portal_open("app.wait_again"));
        exit(0);
    }
    hrsleep(4 * MILLISECOND);
    int callers_portal = portal_open("app.callers");
    domain_kill(again);
    domain_wait(again, &status);
    hrsleep(MILLISECOND);
    word callers = invoke_portal(callers_portal);
    printf("who waits: %ld callers, %ld of this domain, %ld dead and cancelled\n", callers >> 16, callers >> 8 & 255, callers & 255);
    int domains[] = {server, other, one_stack};
    for (int n = 0; n < 3; n++) {
        domain_kill(domains[n]);
        domain_wait(domains[n], &status);
    }
    exit(0);
}
