// system watched
// icount
// timeout 90
// expect stdout what another takes is not counted
// expect stdout what its client's pager takes is not counted
// expect stdout who waits for a lock waits for what its holder waits for
// expect stdout a client that can not run makes nobody late
// expect stdout many short calls are not a long one
// expect stdout a call that may take as long as it likes does
// expect stdout a circle that a client has closed ends nobody else
#include <pebble.h>
#include "include/opened.h"
/* What clients, and others that a server calls, can do does not make the server late. */
/* Thousands of turns of a loop: some 30 ms. */
#define WORK 10000l
static int who, touching, locking, passing, joining, own;
static long before;

static int fail(const char *what, long got)
{
    printf("%s: %ld\n", what, got);
    return 1;
}
static int same(const char *what)
{
    long now = invoke_portal(who);
    return now == before ? 0 : fail(what, now);
}
static volatile char *const page = (volatile char *)0x18000000;
static word handler(word asid, word cause, word address, word pc)
{
    (void)cause, (void)address, (void)pc;
    hrsleep(300 * MILLISECOND);
    return page_map(asid, (void *)page, NULL, PAGE_READ | PAGE_WRITE);
}
/* Keeps everybody below from running from 20 ms on. */
static void spin(void *ignored)
{
    (void)ignored;
    hrsleep(20 * MILLISECOND);
    unsigned long long until = hrtime() + 400 * MILLISECOND;
    while (hrtime() < until)
        continue;
}
static void lock(void *result) { *(volatile long *)result = invoke_portal(locking); }
static int waits;
static void lock_later(void *result)
{
    while (waits == 0)
        hrsleep(MILLISECOND);
    sem_wait(waits);
    lock(result);
}
static void behind(void *result) { *(volatile long *)result = invoke_portal(passing, 300l); }
/* A page of a client's that its pager brings when it likes. */
static int pager(void)
{
    int status, go = sem_create(0);
    int child = domain_fork(NULL);
    if (child == 0) {
        sem_wait(go);
        exit(invoke_portal(touching, page, 1l) == 0 ? 5 : 6);
    }
    pager_register(child, (void *)page, 4096, handler);
    sem_post(go);
    unsigned long long from = hrtime();
    domain_wait(child, &status);
    return status != 5 || hrtime() - from < 290 * MILLISECOND ? fail("pager", status) : 0;
}
/* A call that waits for a lock whose holder waits for another component. */
static int waits_behind(void)
{
    volatile long first = 77, second = 77;
    int holds = thread_create(behind, (void *)&first, 20);
    hrsleep(30 * MILLISECOND);
    int waits = thread_create(lock, (void *)&second, 20);
    hrsleep(200 * MILLISECOND);
    if (second != 77)
        return fail("the lock was free", second);
    thread_join(holds);
    thread_join(waits);
    return first || second ? fail("behind", first * 1000 + second) : 0;
}
static void join(void *ignored)
{
    (void)ignored;
    invoke_portal(joining, (long)own);
}
/* A client has a thread of another's, which it was led to, wait for one that waits for what that has: it has itself to thank, and nobody else. */
static int forged(void)
{
    volatile long locked = 77;
    int ready = sem_create(0);
    own = thread_create(lock_later, (void *)&locked, 20);
    waits = ready;
    thread_create(join, NULL, 20);
    hrsleep(30 * MILLISECOND);
    sem_post(ready);
    hrsleep(400 * MILLISECOND);
    return locked == 77 ? 0 : fail("nobody waits", locked);
}

int main(void)
{
    int pass = called("plain", "pass"), doze = called("plain", "doze"), work = called("plain", "work"), spinning = called("plain", "spin");
    who = called("plain", "who"), touching = called("plain", "touch"), locking = called("plain", "locked"), passing = called("plain", "behind");
    set_priority(20);
    before = invoke_portal(who);
    if (invoke_portal(pass, 300l) != 0 || same("pass"))
        return 1;
    printf("what another takes is not counted\n");
    if (pager() || same("pager"))
        return 1;
    printf("what its client's pager takes is not counted\n");
    if (waits_behind() || same("behind"))
        return 1;
    printf("who waits for a lock waits for what its holder waits for\n");
    /* A call that takes some 40 ms of the processor, and is held up for 400 ms in the middle. */
    int holds_up = thread_create(spin, NULL, 50);
    unsigned long long from = hrtime();
    long worked = invoke_portal(work, WORK), took = (hrtime() - from) / MILLISECOND;
    if (worked != WORK || same("starved"))
        return 1;
    if (took < 400)
        return fail("it was not held up", took);
    thread_join(holds_up);
    printf("a client that can not run makes nobody late\n");
    from = hrtime();
    while (hrtime() - from < 300 * MILLISECOND)
        invoke_portal(work, 100l);
    if (same("many"))
        return 1;
    printf("many short calls are not a long one\n");
    if (invoke_portal(doze, 300l) != 0 || same("doze"))
        return 1;
    printf("a call that may take as long as it likes does\n");
    joining = called("plain", "joins");
    if (forged() || same("forged"))
        return 1;
    printf("a circle that a client has closed ends nobody else\n");
    /* And all of this with a watchdog that is there. */
    return invoke_portal(spinning) == -EDEAD && invoke_portal(who) != before ? 0 : fail("spin", 0);
}
