/* One call with the specification that is the first argument, between the marks that begin and end the model's trace; calls
   before it have filled caches and TLBs. "get_asid" is the short-circuit portal; "yield-2", "semaphore-2" and "pipe-2" go to another
   domain and come back, "open" closes a portal and opens it again, and "interrupt" is what latency.c measures: a thread that sleeps
   until a time while one of lower priority is busy. */
#include "bench.h"
#include <unistd.h>

static char page[4096] __attribute__((aligned(4096)));

/* rtl/trace.h */
#define BEGIN() __asm__ volatile("slti zero, zero, 1" : : : "memory")
#define END() __asm__ volatile("slti zero, zero, 2" : : : "memory")
#define WARM 8
/* As in latency.c: the middle of its delays, and its background's priority. */
#define DELAY 4000
#define BACKGROUND 10
#define TRACE(call)                         \
    for (int i = 0; i <= WARM; i++) {       \
        if (i == WARM)                      \
            BEGIN();                        \
        call;                               \
        if (i == WARM)                      \
            END();                          \
    }

static int ping, pong, there[2], back[2];
static char byte[8] __attribute__((aligned(8)));
static void pass_semaphore(void) { sem_wait(ping), sem_post(pong); }
static void pass_byte(void) { read(there[0], byte, 1), write(back[1], byte, 1); }
/* Another domain, which does `what` for ever. */
static int partner(void (*what)(void))
{
    int child = domain_fork(NULL);
    if (child == 0)
        for (;;)
            what();
    return child;
}
static void in_a_ring(const char *what)
{
    int child, status;
    ping = sem_create(0), pong = sem_create(0);
    if (strcmp(what, "yield-2") == 0) {
        child = partner(yield);
        TRACE(yield());
    } else if (strcmp(what, "semaphore-2") == 0) {
        child = partner(pass_semaphore);
        TRACE((sem_post(ping), sem_wait(pong)));
    } else {
        pipe(there), pipe(back);
        child = partner(pass_byte);
        TRACE((write(there[1], byte, 1), read(back[0], byte, 1)));
    }
    domain_kill(child);
    domain_wait(child, &status);
}
static void spin(void)
{
    for (volatile int i = 0; i < 1000; i++)
        ;
}
/* Sleeps as latency.c does, and prints how late the thread was in the sleep that is traced. */
static void sleep_behind(void (*what)(void))
{
    int child = domain_fork(NULL), status;
    if (child == 0) {
        set_priority(BACKGROUND);
        for (;;)
            what();
    }
    unsigned long late = 0;
    TRACE(({
        unsigned long start = hrtime();
        hrsleep(DELAY);
        late = 2 * (hrtime() - start - DELAY);
    }));
    domain_kill(child);
    domain_wait(child, &status);
    printf("late by %lu cycles, as latency.c counts\n", late);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "get_asid") == 0) {
        TRACE(get_asid());
    } else if (strcmp(what, "yield") == 0) {
        TRACE(yield());
    } else if (strcmp(what, "semaphore") == 0) {
        int semaphore = sem_create(1);
        TRACE((sem_wait(semaphore), sem_post(semaphore)));
    } else if (strcmp(what, "smciii") == 0 || strcmp(what, "npciii") == 0) {
        int portal = open_or_exit(*what == 's' ? "chain.s-1" : "chain.n-1");
        TRACE(invoke_portal(portal, 0l, 2l, 3l));
    } else if (strcmp(what, "smcwii") == 0 || strcmp(what, "npcwii") == 0) {
        int portal = open_or_exit(*what == 's' ? "chain.s-window-1" : "chain.n-window-1");
        *page = 1;
        TRACE(invoke_portal(portal, page, 0l, 3l));
    } else if (strcmp(what, "yield-2") == 0 || strcmp(what, "semaphore-2") == 0 || strcmp(what, "pipe-2") == 0) {
        in_a_ring(what);
    } else if (strcmp(what, "open") == 0) {
        int portal = 0;
        TRACE((portal_close(portal), portal = portal_open("chain.s-1")));
    } else if (strcmp(what, "interrupt") == 0) {
        sleep_behind(spin);
    } else {
        fprintf(stderr, "bench: explain knows get_asid, smciii, npciii, smcwii, npcwii, yield, yield-2, semaphore, semaphore-2, pipe-2, "
                        "open and interrupt\n");
        return 1;
    }
    return 0;
}
