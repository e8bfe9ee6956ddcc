// timeout 60
#include "include/hostile.h"

/* A thread lends a page to a server, which calls its domain back, where the thread ends. In a sandbox it ends only when it comes back through whoever answers
   there, so the server goes on with the page before it, for as long as it likes, and what says that the page is lent is a frame that leads to the dead by then.
   The thread's domain gives the page away meanwhile, and others take all that is free: the server sees what it was shown, and nothing else. */
enum { PAGE = 4096, OTHERS = 24 };
static _Alignas(PAGE) char page[PAGE], others[OTHERS][PAGE];
static int ready, returned, go;
/* Of the domain that lends, whose own get_asid would be that of who answers for it. */
static volatile int lending;
static word number(void)
{
    while (!lending)
        yield();
    return lending;
}

/* In the server. */
static word keeps(volatile char *window)
{
    if (window[1] != 'l')
        return 2;
    word back = invoke_portal(portal_open("app.back"));
    sem_post(returned);
    sem_wait(go);
    for (int at = 0; at < PAGE; at += 64)
        if (window[at] != 'l')
            _Exit(80);
    return back;
}
static void server(void)
{
    portal_register("app.keeps", "npw", keeps, 0, 1);
    sem_post(ready);
    thread_exit();
}
/* In the domain that lends. */
static word back(void)
{
    thread_exit();
    return 0;
}
static void lends(void *number)
{
    memset(page, 'l', PAGE);
    invoke_portal((int)(word)number, page);
}
/* Somebody else, whose memory comes from what is free. */
static int fills(char with)
{
    for (int n = 0; n < OTHERS; n++)
        memset(others[n], with, PAGE);
    return 0;
}
static int lender(int dies)
{
    int portal = portal_open("app.keeps"), own = invoke_portal(portal_open("app.number")), status;
    if (portal < 0 || portal_register("app.back", "np", back, 0, 1) < 0)
        return 10;
    int thread = thread_create(lends, (void *)(word)portal, -1);
    sem_wait(returned);
    if (thread < 0)
        return 11;
    if (dies)
        exit(0);
    /* It is shown, or it is not: while it is, it stays what it is. */
    int gone = page_unmap(own, page);
    if (gone != 0 && gone != -EBUSY)
        return 12;
    if (gone == 0)
        page_map(own, page, NULL, PAGE_READ | PAGE_WRITE);
    int child = domain_fork(0);
    if (child == 0)
        _Exit(fills('v'));
    if (child < 0 || domain_wait(child, &status) || status)
        return 13;
    fills('s');
    sem_post(go);
    thread_join(thread);
    return 0;
}
static int attack(void)
{
    portal_register("app.number", "np", number, 0, 1);
    ready = sem_create(0), returned = sem_create(0), go = sem_create(0);
    for (int round = 0; round < hostile_rounds(8); round++) {
        int status = -1, served, serving = domain_fork(0), dies = round % 2;
        if (serving == 0)
            server();
        sem_wait(ready);
        lending = 0;
        int made = domain_fork(0);
        if (made == 0)
            _Exit(lender(dies));
        lending = made;
        wall(1, serving > 0 && lending > 0 && domain_wait(lending, &status) == 0);
        wall(2, status == 0);
        if (dies) {
            fills('a' + round);
            sem_post(go);
        }
        /* It may be in the call still. */
        hrsleep(200000);
        domain_kill(serving);
        wall(3, domain_wait(serving, &served) == 0 && served == -EDEAD);
    }
    return 0;
}
