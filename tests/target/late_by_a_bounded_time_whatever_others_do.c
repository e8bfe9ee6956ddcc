// icount
// timeout 120
// expect stdout semaphores-destroyed: in time
// expect stdout ordered-waits: in time
// expect stdout joined-threads-end: in time
// expect stdout alarms-together: in time
// expect stdout domains-end: in time
/* A thread sleeps until random moments while a domain of a lower priority does its worst: it is late by at most 2,000 instructions more
   than behind a busy loop, whatever that is. */
#include "../../apps/bench/hostile.h"

#define BOUND 2000
enum { LOW = 10, THREADS = 400, SAMPLES = 600 };

static unsigned long cycles(void)
{
    unsigned long c;
    __asm__ volatile("rdcycle %0" : "=r"(c) : : "memory");
    return c;
}
/* The latest of `count` wake-ups, in instructions. */
static unsigned long latest(int count)
{
    unsigned long worst = 0;
    for (int i = 0; i < count; i++) {
        unsigned long delay = 2 * (1000 + random() % 4000), start = cycles();
        hrsleep(delay / 2);
        unsigned long late = cycles() - start - delay;
        if (late > worst)
            worst = late;
    }
    return worst;
}
int main(int argc, char **argv)
{
    int child = domain_fork(NULL);
    if (child == 0) {
        set_priority(LOW);
        for (;;)
            ;
    }
    unsigned long quiet = latest(200);
    domain_kill(child);
    domain_wait(child, NULL);
    for (int n = 0; n < HOSTILE_LOADS; n++) {
        if (argc > 1 && atoi(argv[1]) != n)
            continue;
        child = hostile_load(n, argc > 2 ? atoi(argv[2]) : THREADS, LOW);
        hrsleep(2000000);
        unsigned long worst = latest(SAMPLES);
        if (worst <= quiet + BOUND)
            printf("%s: in time\n", hostile_loads[n].name);
        else
            printf("%s: late by %lu, quiet %lu\n", hostile_loads[n].name, worst, quiet);
        fprintf(stderr, "%s: %lu, quiet %lu\n", hostile_loads[n].name, worst, quiet);
        domain_kill(child);
        domain_wait(child, NULL);
    }
    return 0;
}
