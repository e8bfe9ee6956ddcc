// system healing
// on strict
// slices 2
// timeout 60
// sample 4
// expect stdout each page was whose it is
#include <errno.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* A call that gives pages away waits for a stack of its server, which ends meanwhile: the next instance has the pages, and nobody else; or the call ends, and the pages are its caller's, or gone with
   who ended. The first argument: one in how many of the 80 rounds. */
enum { ROUNDS = 80, HOLDERS = 4, PAGE = 4096 };
static int info, hold, give, ended, delay;
static char *const page = (char *)0x18000000;
static word result;

static void holder(void *unused)
{
    (void)unused;
    invoke_portal(hold);
}
/* Whether that thread waits at a semaphore, which it does in the server alone. */
static int holds(int thread)
{
    return invoke_portal(info, thread % 4096l) >> 48 == 3;
}
static void giver(void *unused)
{
    (void)unused;
    for (volatile int n = 0; n < delay; n++)
        ;
    result = invoke_portal(give, page, (long)PAGE);
    sem_post(ended);
}
int main(int argc, char **argv)
{
    int share = argc > 1 ? atoi(argv[1]) : 1, check = portal_open("inspect.check"), destroy = portal_open("domain.destroy"), who = opened("plain.who");
    int made = 0;
    info = opened("scheduler.info"), hold = opened("plain.hold"), give = opened("plain.give"), ended = sem_create(0);
    for (int round = 0; round < ROUNDS / share; round++) {
        char mark = round + 1;
        int threads[HOLDERS + 1], server = invoke_portal(who);
        if (page_map(get_asid(), page, 0, PAGE_READ | PAGE_WRITE) < 0)
            return 2;
        page[0] = mark;
        delay = round % 20 * 40;
        for (int n = 0; n < HOLDERS; n++)
            threads[n] = thread_create(holder, 0, -1);
        /* One that was late would hold the next instance's. */
        for (int n = 0; n < HOLDERS; n++)
            while (!holds(threads[n]))
                yield();
        threads[HOLDERS] = thread_create(giver, 0, -1);
        for (int n = 0; n < 100 + round; n++)
            yield();
        if (invoke_portal(destroy, (long)server) < 0)
            return 5;
        sem_wait(ended);
        for (int n = 0; n <= HOLDERS; n++)
            thread_join(threads[n]);
        if (result == mark)
            made++;
        else if (result == -EDEAD)
            page_unmap(get_asid(), page);
        else
            return printf("round %d: %ld\n", round, result), 4;
        if (!all_holds(check, "a round"))
            return 3;
        hrsleep(MILLISECOND);
    }
    if (!made)
        return 6;
    printf("each page was whose it is\none in %d was tried\n", share);
    return 0;
}
