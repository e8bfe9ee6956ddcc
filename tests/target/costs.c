// icount
// timeout 60
// expect stdout no cost has risen
#include <pebble.h>
/* Instructions of the hot paths, counted exactly. The limits are what was measured: a change that raises one must say so,
   here and in docs/src/costs.md. */
#define CALLS 1000
static inline unsigned long cycles(void)
{
    unsigned long c;
    __asm__ volatile("rdcycle %0" : "=r"(c));
    return c;
}
/* The least of some runs: an interrupt, as when input arrives, can only add. */
static unsigned long cost(void (*operation)(void))
{
    unsigned long least = -1ul;
    for (int run = 0; run < 5; run++) {
        unsigned long start = cycles();
        for (int i = 0; i < CALLS; i++)
            operation();
        unsigned long now = (cycles() - start) / CALLS;
        if (now < least)
            least = now;
    }
    return least;
}
static int risen;
static void compare(const char *what, unsigned long now, unsigned long limit)
{
    printf("%-32s %4lu instructions, limit %lu\n", what, now, limit);
    risen += now > limit;
}
static word nothing(void)
{
    return 0;
}
static int shared, saved, sem, other;
static void asid(void)
{
    get_asid();
}
static void call_shared(void)
{
    invoke_portal(shared, 1l, 2l, 3l);
}
static void call_saved(void)
{
    invoke_portal(saved, 1l, 2l, 3l);
}
static void ping(void)
{
    sem_post(sem);
    sem_wait(other);
}
int main(void)
{
    int child, status;
    word constant = 5;
    compare("get_asid", cost(asid), 26);
    portal_register("app.shared", "smciii", nothing, &constant, 1);
    portal_register("app.saved", "npciii", nothing, &constant, 1);
    if ((child = domain_fork(0)) == 0) {
        shared = portal_open("app.shared");
        saved = portal_open("app.saved");
        compare("smciii, untrusted, and back", cost(call_shared), 110);
        compare("npciii and back", cost(call_saved), 148);
        exit(risen);
    }
    domain_wait(child, &status);
    risen += status;
    sem = sem_create(0);
    other = sem_create(0);
    if ((child = domain_fork(0)) == 0)
        for (;;) {
            sem_wait(sem);
            sem_post(other);
        }
    compare("semaphore ring of 2, two hops", cost(ping), 587);
    domain_kill(child);
    if ((child = domain_fork(0)) == 0)
        for (;;)
            yield();
    compare("yield, two switches", cost(yield), 268);
    domain_kill(child);
    printf("%s\n", risen ? "a cost has risen" : "no cost has risen");
    return risen;
}
