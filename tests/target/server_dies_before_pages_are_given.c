// on strict
// slices 2
// timeout 60
// expect stdout 60 calls, some that were made and some that waited when their server died: each page was whose it is
/* A call that gives pages away waits for a stack of its server, which dies meanwhile: the pages are the caller's, as they were. Whether it found
   none from the beginning, or none any more once its pages had been moved, they are not the server's while it waits. */
#include <errno.h>
#include <pebble.h>
#include <stdio.h>

enum { ROUNDS = 60, PAGE = 4096 };
static int inside, ended, hold, give, delay;
static char *const page = (char *)0x18000000;
static word result;

static word holds(void)
{
    sem_post(inside);
    return sem_wait(sem_create(0));
}
static word takes(char *pages, long bytes)
{
    word first = pages[0];
    (void)bytes;
    return page_unmap(get_asid(), pages) ? -1 : first;
}
static void holder(void *unused)
{
    (void)unused;
    for (volatile int n = 0; n < delay; n++)
        ;
    invoke_portal(hold);
}
static void giver(void *unused)
{
    (void)unused;
    result = invoke_portal(give, page, (long)PAGE);
    sem_post(ended);
}
static int serve(int registered)
{
    if (portal_register("app.hold", "np", holds, 0, 1) < 0 || portal_register("app.give", "np>i", takes, 0, 0) < 0)
        return 1;
    sem_post(registered);
    return sem_wait(sem_create(0));
}
int main(void)
{
    int registered = sem_create(0), status, made = 0, waited = 0;
    inside = sem_create(0), ended = sem_create(0);
    for (int round = 0; round < ROUNDS; round++) {
        char mark = round + 1;
        int server = domain_fork(0);
        if (server == 0)
            return serve(registered);
        sem_wait(registered);
        hold = portal_open("app.hold"), give = portal_open("app.give");
        if (page_map(get_asid(), page, 0, PAGE_READ | PAGE_WRITE) < 0)
            return 2;
        page[0] = mark;
        delay = round % 20 * 40;
        int threads[] = {thread_create(giver, 0, -1), thread_create(holder, 0, -1)};
        sem_wait(inside);
        /* The other has been served, or waits, by then. */
        for (int n = 0; n < 500; n++)
            yield();
        domain_kill(server);
        domain_wait(server, &status);
        sem_wait(ended);
        thread_join(threads[0]), thread_join(threads[1]);
        if (result == mark)
            made++;
        else if (result == -EDEAD) {
            waited++;
            if (page[0] != mark || page_unmap(get_asid(), page) < 0)
                return printf("round %d: the page is not as it was\n", round), 3;
        } else
            return printf("round %d: %ld\n", round, result), 4;
        portal_close(hold), portal_close(give);
    }
    printf("%d calls, %s that were made and %s that waited when their server died: each page was whose it is\n", made + waited,
           made ? "some" : "none", waited ? "some" : "none");
    return 0;
}
