// icount 0
// timeout 120
// expect stdout nobody has less than a third beside one other
/* Two domains of one priority: one counts, the other has others work for it as fast as it can: interrupts, the scheduler, the portal manager, init,
   the console. What they do for it, above the priority of both, takes from the one that counts no more than counting would: that has its half of the
   time, give or take a slice where it begins and ends. */
#include <pebble.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICKS = 20000000, SHARE = 3 };

static void spin(void)
{
    for (;;)
        ;
}
static void alarms(void)
{
    int alarm = portal_open("clock.alarm"), clock = portal_open("clock.time");
    for (;;)
        invoke_portal(alarm, invoke_portal(clock) + 1000);
}
static void opens(void)
{
    for (;;)
        portal_close(portal_open("clock.time"));
}
static void fault(void) { *(volatile word *)8 = 1; }
static void faults(void)
{
    for (;;) {
        int status, child = domain_fork(0);
        if (child == 0)
            fault();
        if (child > 0)
            domain_wait(child, &status);
    }
}
static void threads(void)
{
    for (;;)
        thread_join(thread_create((void (*)(void *))thread_exit, 0, -1));
}
static void shouts(void)
{
    for (;;)
        fflush(stderr), fputs(".", stderr);
}
static unsigned long counted(void)
{
    unsigned long count = 0, end = hrtime() + TICKS;
    while (hrtime() < end)
        count++;
    return count;
}
int main(void)
{
    static void (*const others[])(void) = {spin, alarms, opens, faults, threads, shouts};
    unsigned long alone = counted();
    int held = 1;
    for (unsigned n = 0; n < sizeof others / sizeof *others; n++) {
        int status, child = domain_fork(0);
        if (child == 0)
            others[n]();
        unsigned long beside = counted();
        if (child < 0 || domain_kill(child) || domain_wait(child, &status) || beside * SHARE < alone)
            printf("beside number %u: %lu of %lu\n", n, beside, alone), held = 0;
    }
    if (held)
        puts("nobody has less than a third beside one other");
    return !held;
}
