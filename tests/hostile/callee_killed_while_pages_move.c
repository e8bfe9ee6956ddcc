// timeout 60
// ways plain touch slices strict strict-touch
/* Not in a sandbox: the call that gets the callee's pages is the controlling domain's own there, as in the plain way, and what the memory manager
   notes names that domain; the attacker only gets pages of the controlling domain, which is not killed. */
/* A callee is killed at every moment of a call that gets pages from it. What the memory manager has noted of the move dies with it: the next
   domain of its number, an honest server that keeps the pages of another client where the dead one had its own, gives those to nobody. */
#include "include/hostile.h"

enum { PAGE = 4096, PAGES = 31, MOMENTS = 96, KEPT = 1, NUMBERS = 600, LOW = 10, USUAL = 20 };
static _Alignas(4096) char here[PAGES * PAGE], gift[PAGES * PAGE];
static int ready, go, killed;
static volatile int callee;
static volatile long moment;

static word give(char *made, long bytes) { (void)made; return bytes; }
static word keep(char *given, long bytes) { (void)given, (void)bytes; return KEPT; }
static word fetch(char *made, long bytes)
{
    strcpy(made + PAGE / 2, "the server's answer");
    return bytes;
}
static void kills(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(go);
        hrsleep(moment);
        domain_kill(callee);
        sem_post(killed);
    }
}
static int serves(const char *name, const char *spec, word (*entry)())
{
    return portal_register(name, spec, entry, 0, 2);
}
/* The number is an honest server's now, which has the pages of a client; what a call to it brings is its own. */
static int is_honest(int number)
{
    int status, server = -1;
    for (int n = 0; n < NUMBERS && server != number; n++) {
        server = domain_fork(0);
        if (server == 0) {
            if (get_asid() != number)
                exit(0);
            if (serves("app.keep", "nm>i", (word (*)())keep) || serves("app.fetch", "nm<i", (word (*)())fetch))
                exit(1);
            sem_post(ready);
            sem_wait(sem_create(0));
        }
        if (server != number)
            domain_wait(server, &status);
    }
    if (server != number)
        return 1;
    sem_wait(ready);
    int client = domain_fork(0);
    if (client == 0) {
        strcpy(gift, "a client's secret");
        exit(invoke_portal(portal_open("app.keep"), gift, (long)sizeof gift) == KEPT ? 0 : 1);
    }
    domain_wait(client, &status);
    int fetches = portal_open("app.fetch");
    memset(here, 'x', sizeof here);
    word got = invoke_portal(fetches, here, (long)sizeof here);
    int honest = status == 0 && got == sizeof here && here[0] == 0 && !strcmp(here + PAGE / 2, "the server's answer");
    portal_close(fetches);
    domain_kill(server);
    domain_wait(server, &status);
    return honest;
}
static int attack(void)
{
    int status, died = 0;
    ready = sem_create(0), go = sem_create(0), killed = sem_create(0);
    wall(1, thread_create(kills, 0, -1) > 0);
    for (int n = 0; n < hostile_rounds(MOMENTS); n++) {
        moment = 1000 + 400l * n * hostile_fewer;
        callee = domain_fork(0);
        if (callee == 0) {
            if (serves("app.give", "nm<i", (word (*)())give))
                exit(1);
            sem_post(ready);
            sem_wait(sem_create(0));
        }
        sem_wait(ready);
        int gives = portal_open("app.give");
        /* Who kills comes in between. */
        set_priority(LOW);
        sem_post(go);
        word got = invoke_portal(gives, here, (long)sizeof here);
        set_priority(USUAL);
        sem_wait(killed);
        portal_close(gives);
        domain_wait(callee, &status);
        if (got == -EDEAD && ++died % 12 == 1)
            wall(2, is_honest(callee));
    }
    return 0;
}
