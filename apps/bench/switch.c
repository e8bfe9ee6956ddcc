/* USENIX tables 3 and 5, embedded table 2: switches between threads of 1, 2, 4 and 8 domains, by yield and by a ring of
   semaphores. With one domain nobody else is there to switch to. */
#include "bench.h"

#define MOST 8

static int count;
static int semaphores[MOST], children[MOST];

/* Starts the other members of a ring of `domains`, each of which calls `member` with its place for ever. */
static void start(int domains, void (*member)(int place, int domains))
{
    for (int place = 1; place < domains; place++) {
        children[place] = domain_fork(NULL);
        if (children[place] == 0)
            for (;;)
                member(place, domains);
        if (children[place] < 0) {
            printf("bench: no domain: %s\n", pebble_strerror(children[place]));
            exit(1);
        }
    }
}
static void stop(int domains)
{
    for (int place = 1; place < domains; place++) {
        domain_kill(children[place]);
        domain_wait(children[place], NULL);
    }
}
static void yielding(int place, int domains)
{
    (void)place, (void)domains;
    yield();
}
static void pass(int place, int domains)
{
    sem_wait(semaphores[place]);
    sem_post(semaphores[(place + 1) % domains]);
}
static unsigned long per_domain(unsigned long value, int domains)
{
    return (value + domains / 2) / domains;
}
int main(int argc, char **argv)
{
    count = repetitions(argc, argv);
    for (int domains = 1; domains <= MOST; domains *= 2) {
        start(domains, yielding);
        unsigned long round = MEASURE(count, yield());
        stop(domains);
        ROW(per_domain(round, domains), .table = "usenix-3", .operation = "yield", .domains = domains, .measure = "switch");
    }
    for (int domains = 1; domains <= MOST; domains *= 2) {
        for (int place = 0; place < domains; place++)
            semaphores[place] = sem_create(0);
        start(domains, pass);
        unsigned long round = MEASURE(count, (sem_post(semaphores[1 % domains]), sem_wait(semaphores[0])));
        stop(domains);
        for (int place = 0; place < domains; place++)
            sem_destroy(semaphores[place]);
        ROW(per_domain(round, domains), .table = "usenix-5", .operation = "semaphore", .domains = domains, .measure = "hop");
    }
    return 0;
}
