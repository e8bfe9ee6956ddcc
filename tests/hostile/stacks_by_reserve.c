// timeout 90
#include "include/hostile.h"

/* A server with no stack of its own, so that each call of this account is by the account's reserve: callers and server are killed before it is used, while
   it is, and while it comes back. Others are served then, and what there is of stacks does not grow. */
enum { CLIENTS = 3, THREADS = 2, SERVED = 7 };
static int calls;

static word serve(word how)
{
    calls++;
    if (how > 0)
        hrsleep(how);
    return SERVED;
}
static word count(void) { return calls; }
static void server(void)
{
    portal_register("app.count", "np", count, 0, 0);
    portal_register("app.few", "npi", serve, 0, 0);
    thread_exit();
}
static void caller(void *n)
{
    for (;;) {
        int portal = portal_open("app.few");
        if (portal < 0)
            hrsleep(100000);
        for (word result = SERVED; portal > 0 && result == SERVED;) {
            result = invoke_portal(portal, (word)n % 2 * 20000);
            if (result != SERVED && result != -EDEAD)
                exit(9);
        }
        portal_close(portal);
    }
}
static void client(void)
{
    for (word n = 1; n < THREADS; n++)
        thread_create(caller, (void *)n, -1);
    caller(0);
}
static int start(void (*what)(void))
{
    int child = domain_fork(0);
    if (child == 0) {
        what();
        exit(8);
    }
    return child;
}
static int attack(void)
{
    int status, clients[CLIENTS], its = start(server);
    wall(1, its > 0);
    for (int n = 0; n < CLIENTS; n++)
        wall(2, (clients[n] = start(client)) > 0);
    int rounds = hostile_rounds(60);
    for (int n = 0; n < rounds; n++) {
        hrsleep(30011ul * (n % 17 + 1));
        int *who = n % 4 == 3 ? &its : &clients[n % CLIENTS];
        wall(3, domain_kill(*who) == 0 && domain_wait(*who, &status) == 0);
        wall(4, (*who = start(who == &its ? server : client)) > 0);
    }
    for (int n = 0; n < CLIENTS; n++)
        wall(5, domain_kill(clients[n]) == 0 && domain_wait(clients[n], &status) == 0);
    /* All that is left is this caller, which is served at once. */
    int few = -1;
    for (int n = 0; few < 0 && n < 1000; n++) {
        few = portal_open("app.few");
        hrsleep(1000);
    }
    wall(6, few > 0 && invoke_portal(few, 0l) == SERVED && invoke_portal(few, 0l) == SERVED);
    wall(7, domain_kill(its) == 0 && domain_wait(its, &status) == 0 && invoke_portal(few, 0l) == -EDEAD);
    return 0;
}
