// timeout 60
// ways plain touch slices strict strict-touch
/* Not in a sandbox: each page that is shared there the controlling domain has too, so that it is that one's call that fails half-way, at
   half the number and at an address that the callee does not know; and its handler is refused (`get_asid` answers for the controlling domain). */
/* A call shares 31 pages, the last of which can not be shared any more: it fails half-way, and what it had done is undone. Meanwhile threads
   of the callee read the first page and lend it on. Once the call has failed, neither its memory, nor a window, nor a translation that was
   kept, shows what its owner writes there, or what the frame is used for next. */
#include "include/hostile.h"
#include "include/touch.h"

enum { PAGE = 4096, PAGES = 31, MOST = 255, SECRET = 0x5ec7e7, LATE = 50 };
static _Alignas(4096) char pages[PAGES * PAGE];
/* Where the callee gets the first of them: behind those of the calls that were made. */
static char *const there = (char *)(0x20000000ul + MOST * PAGE);
static int ready, looked, answers[2], peek_portal;
static volatile long seen;

static word share(char *shared, long bytes) { (void)bytes; return (word)shared; }
static word peek(volatile long *window) { return *window; }
static void reads(void *unused)
{
    (void)unused;
    while (seen != SECRET) {
        long value = touch(there);
        if (value == SECRET)
            seen = value;
        hrsleep(500);
    }
}
static void lends(void *unused)
{
    (void)unused;
    while (seen != SECRET) {
        if (invoke_portal(peek_portal, there) == SECRET)
            seen = SECRET;
        hrsleep(700);
    }
}
static void callee(void)
{
    if (portal_register("app.share", "nmSi", share, 0, 2) || portal_register("app.peek", "smr", peek, 0, 0))
        exit(1);
    pager_register(get_asid(), there, PAGES * PAGE, not_there);
    peek_portal = portal_open("app.peek");
    thread_create(reads, 0, -1);
    thread_create(lends, 0, -1);
    sem_post(ready);
    sem_wait(looked);
    sem_post(answers[seen == SECRET]);
    sem_wait(sem_create(0));
}
static int attack(void)
{
    ready = sem_create(0), looked = sem_create(0), answers[0] = sem_create(0), answers[1] = sem_create(0);
    int status, child = domain_fork(0), failed = 0;
    if (child == 0)
        callee();
    sem_wait(ready);
    int shares = portal_open("app.share");
    for (int n = 0; n < PAGES; n++)
        *(volatile long *)(pages + n * PAGE) = n;
    for (int n = 0; n < MOST; n++)
        wall(1, invoke_portal(shares, pages + (PAGES - 1) * PAGE, (long)PAGE) > 0);
    for (int n = 0; n < hostile_rounds(400); n++) {
        failed += invoke_portal(shares, pages, (long)(PAGES * PAGE)) < 0;
        *(volatile long *)pages = SECRET;
        if (n % 8 == 0)
            hrsleep(3000);
        *(volatile long *)pages = n;
    }
    wall(2, failed == hostile_rounds(400));
    /* The frame is another page's from here on. */
    wall(3, page_unmap(get_asid(), pages) == 0);
    char *other = malloc((LATE + 1) * PAGE);
    wall(4, other != 0);
    for (int n = 0; n < LATE; n++)
        *(volatile long *)((((unsigned long)other + PAGE - 1) & -PAGE) + n * PAGE) = SECRET;
    hrsleep(20000);
    sem_post(looked);
    wall(5, sem_timedwait(answers[0], 100 * HOSTILE_TICKS) == 0);
    domain_kill(child);
    domain_wait(child, &status);
    return 0;
}
