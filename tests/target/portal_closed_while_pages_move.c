// on strict
// slices 5
// timeout 30
// expect stdout 400 calls, some that were made and some whose portal was closed first: each page was whose it is
/* A portal is closed while the pages of a call by it are being moved: that call ends with EPORTAL, and its pages are back with the caller. */
#include <errno.h>
#include <pebble.h>
#include <stdio.h>

enum { ROUNDS = 400, PAGE = 4096 };
static int go, closed, portal, wait;

static word give(char *pages, long bytes)
{
    word first = pages[0];
    (void)bytes;
    return page_unmap(get_asid(), pages) ? -1 : first;
}
static void closes(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(go);
        for (volatile int n = 0; n < wait; n++)
            ;
        portal_close(portal);
        sem_post(closed);
    }
}
int main(void)
{
    int registered = sem_create(0), server = domain_fork(0), made = 0, ended = 0;
    if (server == 0) {
        if (portal_register("app.give", "np>i", give, 0, 1) < 0)
            return 1;
        sem_post(registered);
        sem_wait(sem_create(0));
    }
    sem_wait(registered);
    go = sem_create(0), closed = sem_create(0);
    if (thread_create(closes, 0, -1) < 0)
        return 2;
    char *page = (char *)0x18000000;
    for (int round = 0; round < ROUNDS; round++) {
        char mark = round % 100 + 1;
        if (page_map(get_asid(), page, 0, PAGE_READ | PAGE_WRITE) < 0 || (portal = portal_open("app.give")) < 0)
            return 3;
        page[0] = mark;
        wait = round * 7;
        sem_post(go);
        word result = invoke_portal(portal, page, (long)PAGE);
        if (result == -EPORTAL) {
            ended++;
            if (page[0] != mark || page_unmap(get_asid(), page) < 0)
                return printf("round %d: the page is not as it was\n", round), 4;
        } else if (result == mark)
            made++;
        else
            return printf("round %d: %ld\n", round, result), 5;
        sem_wait(closed);
    }
    domain_kill(server);
    printf("%d calls, %s that were made and %s whose portal was closed first: each page was whose it is\n", made + ended,
           made ? "some" : "none", ended ? "some" : "none");
    return 0;
}
