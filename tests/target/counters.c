// system exec-counted
// expect stdout a registered portal: 1000
// expect stdout of the nucleus: 100
// expect stdout a semaphore's: P 50, V 50
// expect stdout of the child alone: 7, and here 0 more
// expect stdout of a call that could not be made: 0
// expect stdout of an exception, and the copy of what was mapped: 2
// expect stdout opened again at the same number: 3
// expect stdout time goes on: yes, and the scheduler has none: 0
// expect stdout of a domain that is no more: -ESRCH
// expect stdout of the interposed: 20

/* Calls are counted where the manifest says so: of every kind of portal, for each domain apart, from zero when a number leads to
   something else. */
#include <pebble.h>

#define WORDS 512
static unsigned long long counters[WORDS] __attribute__((aligned(4096)));
static int inspect;

static unsigned long long calls_of(int asid, int number)
{
    word result = invoke_portal(inspect, asid, counters);
    return result < 0 ? (unsigned long long)result : counters[number];
}
static word nothing(word a) { return a; }
static word deep(word portal) { return invoke_portal(portal, portal); }
static word pass_on(word portal, word p1, word p2, word p3, word p4, word p5)
{
    return invoke_portal(portal, p1, p2, p3, p4, p5);
}
static char page[4096] __attribute__((aligned(4096)));
static word bring(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & -4096), page, 6);
}

int main(void)
{
    int self = get_asid();
    inspect = portal_open("inspect.calls");
    portal_register("app.nothing", "npi", nothing, 0, 2);
    int portal = portal_open("app.nothing");
    unsigned long long before = calls_of(self, portal);
    for (int n = 0; n < 1000; n++)
        invoke_portal(portal, n);
    printf("a registered portal: %llu\n", calls_of(self, portal) - before);

    before = calls_of(self, 6);
    for (int n = 0; n < 100; n++)
        pebble_get_asid();
    printf("of the nucleus: %llu\n", calls_of(self, 6) - before);

    int sem = sem_create(0);
    for (int n = 0; n < 50; n++)
        sem_post(sem), sem_wait(sem);
    printf("a semaphore's: P %llu, V %llu\n", calls_of(self, sem), calls_of(self, sem + 1));

    int go = sem_create(0), done = sem_create(0);
    before = calls_of(self, 4);
    int child = domain_fork(0);
    if (child == 0) {
        for (int n = 0; n < 7; n++)
            pebble_yield();
        sem_post(done);
        sem_wait(go);
        exit(0);
    }
    sem_wait(done);
    printf("of the child alone: %llu, and here %llu more\n", calls_of(child, 4), calls_of(self, 4) - before);
    sem_post(go);
    domain_wait(child, 0);

    /* The call that has no room on the invocation stack any more ends before it is made. */
    portal_register("app.deep", "npi", deep, 0, 40);
    int own = portal_open("app.deep");
    invoke_portal(own, own);
    unsigned long long made = calls_of(self, own);
    invoke_portal(own, own);
    printf("of a call that could not be made: %llu\n", calls_of(self, own) - 2 * made);

    char *missing = (char *)0x30000000;
    if (pager_register(self, missing, 2 * 4096, bring) < 0)
        return 1;
    /* The first one finds the handler without a stack. */
    *(volatile char *)(missing + 4096) = 1;
    before = calls_of(self, 38);
    *(volatile char *)missing = 1;
    printf("of an exception, and the copy of what was mapped: %llu\n", calls_of(self, 38) - before);

    portal_close(portal);
    int again = portal_open("app.nothing");
    for (int n = 0; n < 3; n++)
        invoke_portal(again, n);
    printf("opened again at the %s number: %llu\n", again == portal ? "same" : "other", calls_of(self, again));

    before = calls_of(self, 0);
    for (volatile int n = 0; n < 100000; n++)
        ;
    pebble_yield();
    hrsleep(1000);
    unsigned long long now = calls_of(self, 0);
    printf("time goes on: %s, and the scheduler has none: %llu\n", now > before ? "yes" : "no", calls_of(2, 0));

    printf("of a domain that is no more: %s\n", (int)calls_of(child, 0) == -ESRCH ? "-ESRCH" : "?");

    child = domain_fork(pass_on);
    if (child == 0) {
        for (int n = 0; n < 20; n++)
            pebble_yield();
        sem_post(done);
        sem_wait(go);
        exit(0);
    }
    sem_wait(done);
    printf("of the interposed: %llu\n", calls_of(child, 4));
    sem_post(go);
    domain_wait(child, 0);
    return 0;
}
