// timeout 60
#include "include/hostile.h"

/* A thread lends pages to a server, which calls its domain back, where it ends itself, or the whole domain does: the server, which is the attacker's too, has
   no window on those pages any more, whoever has them by then. */
enum { PAGE = 4096 };
_Alignas(4096) static char pages[2][PAGE];
static int ready, over;

/* In the server. */
static char *volatile seen;
static word keeps(char *page)
{
    seen = page;
    int back = portal_open("app.back");
    word before = *(volatile char *)page;
    invoke_portal(back, before);
    return 1;
}
static word looks(void) { return seen ? *(volatile char *)seen : 0; }
static void server(void)
{
    portal_register("app.keeps", "npw", keeps, 0, 1);
    portal_register("app.looks", "np", looks, 0, 1);
    sem_post(ready);
    thread_exit();
}
/* In the domain that lends. */
static volatile int ends;
static word back(word first)
{
    (void)first;
    sem_post(over);
    if (ends)
        exit(0);
    thread_exit();
    return 0;
}
static void lends(void *page)
{
    int portal = portal_open("app.keeps");
    *(volatile char *)page = 'l';
    invoke_portal(portal, page);
    thread_exit(); /* outside of a sandbox that call back has ended, and not the thread */
}
/* A domain lends by a thread of its own; where all of it is to end there, its memory is others' afterwards. */
static int lender(int all)
{
    ends = all;
    if (portal_register("app.back", "npi", back, 0, 1) < 0)
        return 6;
    int thread = thread_create(lends, pages[all], -1);
    sem_wait(over);
    if (all)
        hrsleep(1000000000);
    if (thread < 0 || thread_join(thread) < 0)
        return 5;
    /* Other pages come to the place of what it has lent, and what was there may be others'; in a sandbox it may still be shown, and stays what it is. */
    for (int n = 0; n < 8; n++) {
        page_unmap(get_asid(), pages[0]);
        if (page_map(get_asid(), pages[0], NULL, PAGE_READ | PAGE_WRITE) == 0)
            memset(pages[0], 's', PAGE);
    }
    return 0;
}
static int attack(void)
{
    ready = sem_create(0), over = sem_create(0);
    for (int round = 0; round < hostile_rounds(8); round++) {
        int status = -1, serving = domain_fork(0);
        if (serving == 0)
            server();
        sem_wait(ready);
        int lending = domain_fork(0);
        if (lending == 0)
            exit(lender(round % 2));
        wall(1, serving > 0 && lending > 0 && domain_wait(lending, &status) == 0);
        wall(2, status == 0);
        /* The server looks where the page was: that ends it. */
        /* The server looks where the page was: that ends it. Where the whole domain has ended, the call may not be over yet, and the page is as it was. */
        word there = invoke_portal(portal_open("app.looks"));
        wall(3, there == -EDEAD || (round % 2 && there == 'l'));
        domain_kill(serving);
        wall(4, domain_wait(serving, &status) == 0);
    }
    return 0;
}
