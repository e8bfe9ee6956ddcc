/* Another clock than `drivers/clock`, in C and without a device: it is the third millennium's first day when it starts, and time goes on
   from there by the hart's own. Who waits for an alarm sleeps. */
#include <pebble.h>
#include <time.h>

enum { STACKS = 4, NANOSECONDS = 1000000000 };
static unsigned long long begin;

/* By the processor's clock, whose unit the C library knows. */
static unsigned long long since_start(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * NANOSECONDS + now.tv_nsec;
}
static word now(void)
{
    return 978307200ull * NANOSECONDS + (since_start() - begin);
}
static word alarm_at(word time)
{
    word left = time - now();
    if (left > 0) {
        struct timespec nap = {left / NANOSECONDS, left % NANOSECONDS};
        nanosleep(&nap, 0);
    }
    return 0;
}
int main(void)
{
    begin = since_start();
    if (portal_register("clock.time", "nm", now, 0, STACKS) < 0 || portal_register("clock.alarm", "nmi", alarm_at, 0, STACKS) < 0)
        return 1;
    thread_exit();
}
