/* A call with `<` is being served when its caller dies, and the caller's number is another domain's before the call returns: the
   server's pages go nowhere, and least of all in the place of what that domain has at the address. */
#include "include/hostile.h"

enum { PAGE = 4096, PAGES = 4, NUMBERS = 600 };
static _Alignas(4096) char pages[PAGES * PAGE];
static int ready, inside, leave, served, go, stay, looked;

static word fetch(char *there, long bytes)
{
    memset(there, 's', bytes);
    sem_post(inside);
    sem_wait(leave);
    return bytes;
}
static int attack(void)
{
    ready = sem_create(0), inside = sem_create(0), leave = sem_create(0), served = sem_create(0);
    go = sem_create(0), stay = sem_create(0), looked = sem_create(0);
    int status, server = domain_fork(0);
    if (server == 0) {
        if (portal_register("app.fetch", "nm<i", fetch, 0, 1))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int caller = domain_fork(0);
    if (caller == 0) {
        invoke_portal(portal_open("app.fetch"), pages, (long)sizeof pages);
        exit(0);
    }
    sem_wait(inside);
    domain_kill(caller);
    domain_wait(caller, &status);
    int victim = 0;
    for (int n = 0; n < NUMBERS && victim != caller; n++) {
        victim = domain_fork(0);
        wall(1, victim >= 0);
        if (victim == 0) {
            memset(pages, 'v', sizeof pages);
            sem_wait(go);
            if (sem_trywait(stay) != 0)
                exit(0);
            sem_post(ready);
            sem_wait(looked);
            for (unsigned long at = 0; at < sizeof pages; at++)
                if (pages[at] != 'v')
                    exit(1);
            exit(0);
        }
        if (victim == caller)
            sem_post(stay);
        sem_post(go);
        if (victim != caller)
            domain_wait(victim, &status);
    }
    /* Numbers may be used again too late for this. */
    if (victim == caller) {
        sem_wait(ready);
        sem_post(leave);
        /* The thread that comes back ends. */
        hrsleep(3 * HOSTILE_TICKS);
        sem_post(looked);
        wall(2, domain_wait(victim, &status) == 0 && status == 0);
    } else {
        sem_post(leave);
    }
    domain_kill(server);
    domain_wait(server, &status);
    return 0;
}
