// timeout 60
// ways touch slices strict-touch
/* Not in a sandbox: `get_asid` answers for the controlling domain there, so neither can the callee have its faults answered nor the attacker
   unmap its page (EACCESS), whose frame would go to others. Nor where windows are mapped when the call is made. */
/* Where windows are mapped at the first access: a second thread of the callee touches the window of a call while the memory manager is busy
   with somebody else, and the call returns meanwhile. The window is not mapped after its call: what the page is used for next is not to be
   seen there. */
#include "include/hostile.h"
#include "include/touch.h"

enum { PAGE = 4096, SECRET = 0x5ec7e7, PAGES = 64, BUSY = 2048 };
static _Alignas(4096) volatile long page[PAGE / sizeof(long)];
static int ready, inside, touched, look, answers[2];
static volatile long *volatile slot;
static volatile long moment;

static word hold(volatile long *window, word ticks)
{
    slot = window;
    sem_post(inside);
    hrsleep(ticks);
    return 1;
}
static void touches(void *unused)
{
    (void)unused;
    sem_wait(inside);
    hrsleep(moment);
    touch(slot);
    sem_post(touched);
}
static void callee(long ticks)
{
    moment = ticks;
    pager_register(get_asid(), 0, 0, not_there);
    if (portal_register("app.hold", "nmwi", hold, 0, 2) || thread_create(touches, 0, -1) < 0)
        exit(1);
    sem_post(ready);
    sem_wait(touched);
    sem_wait(look);
    sem_post(answers[touch(slot) == SECRET]);
    sem_wait(sem_create(0));
}
/* Others, who keep the memory manager busy while these sleep. */
static void grows(void)
{
    set_priority(5);
    for (;;) {
        char *more = malloc(BUSY * PAGE);
        if (!more)
            exit(0);
        free(more);
        yield();
    }
}
static int attack(void)
{
    ready = sem_create(0), inside = sem_create(0), touched = sem_create(0), look = sem_create(0);
    answers[0] = sem_create(0), answers[1] = sem_create(0);
    int status, busy = domain_fork(0);
    if (busy == 0)
        grows();
    for (int n = 0; n < hostile_rounds(80); n++) {
        long ticks = 1000 + 250l * n * hostile_fewer;
        int child = domain_fork(0);
        if (child == 0)
            callee(ticks);
        sem_wait(ready);
        page[0] = n;
        int holds = portal_open("app.hold");
        /* It ends a little before the touch, at the same time, or a little after it. */
        wall(1, invoke_portal(holds, page, (word)(ticks + 300 * (n % 5 - 2))) == 1);
        wall(2, page_unmap(get_asid(), (void *)page) == 0);
        char *other = malloc((PAGES + 1) * PAGE);
        wall(3, other != 0);
        for (int at = 0; at < PAGES; at++)
            *(volatile long *)((((unsigned long)other + PAGE - 1) & -PAGE) + at * PAGE) = SECRET;
        wall(4, page_map(get_asid(), (void *)page, 0, PAGE_READ | PAGE_WRITE) == 0);
        page[0] = SECRET;
        sem_post(look);
        wall(5, sem_timedwait(answers[0], 50 * HOSTILE_TICKS) == 0);
        free(other);
        portal_close(holds);
        domain_kill(child);
        domain_wait(child, &status);
    }
    domain_kill(busy);
    domain_wait(busy, &status);
    return 0;
}
