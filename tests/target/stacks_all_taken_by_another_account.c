// system neighbours
// expect stdout held: 5 answers; turned over: 200 answers; stacks within 2 and one for each account: 1; served: 1
/* A domain has threads in all stacks of a server, and more that wait; a neighbour, of another account, is answered all the same. */
#include "include/once_there.h"

enum { HOLDERS = 12 };
static volatile int holds = 1, calls;
static word serve(word how)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    while (how == 1 && holds)
        hrsleep(100000);
    if (how == 2)
        hrsleep(20000);
    return how + 40;
}
static int portal;
static void holder(void *unused)
{
    (void)unused;
    invoke_portal(portal, 1l);
    for (;;)
        invoke_portal(portal, 2l);
}
static word stacks(void)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, flags, parent, threads, portals, stacks, identity, account, isolation, within;
    } domain;
    static int inspect;
    if (inspect == 0)
        inspect = portal_open("inspect.domain");
    return invoke_portal(inspect, get_asid(), &domain) < 0 ? -1 : (word)domain.stacks;
}
int main(void)
{
    int held = 0, turned = 0;
    portal_register("app.serve", "npi", serve, 0, 2);
    int child = domain_fork(0);
    if (child == 0) {
        int threads[HOLDERS];
        portal = portal_open("app.serve");
        for (int i = 0; i < HOLDERS; i++)
            threads[i] = thread_create(holder, 0, -1);
        thread_join(threads[0]);
    }
    int ask = once_there("app.ask");
    while (calls < 2)
        hrsleep(100000);
    for (int n = 0; n < 5; n++)
        held += invoke_portal(ask, 0l) == 40;
    int before = calls;
    holds = 0;
    word most = 0;
    for (int n = 0; n < 200; n++) {
        turned += invoke_portal(ask, 0l) == 40;
        word now = stacks();
        most = now > most ? now : most;
    }
    int served = calls - before > 200;
    domain_kill(child);
    printf("held: %d answers; turned over: %d answers; stacks within 2 and one for each account: %d; served: %d\n", held, turned,
           most >= 3 && most <= 4, served);
    return 0;
}
