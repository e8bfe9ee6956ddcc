/* Time. hrtime counts pairs of core cycles; the C library's clocks come from the clock driver and the time register. */
#include "system.h"
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

void hrsleep(unsigned long long ticks)
{
    invoke_portal(SYS_SLEEP, ticks > INT64_MAX ? INT64_MAX : (word)ticks);
}

/* Units of the time register in a second, on QEMU's virt machine. */
#define TIMEBASE 10000000ull

static unsigned long long time_register(void)
{
    unsigned long long t;
    __asm__ volatile("rdtime %0" : "=r"(t));
    return t;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int portal;
    if (clock == CLOCK_REALTIME) {
        if (portal == 0)
            portal = portal_open("clock.time");
        word ns = portal < 0 ? portal : invoke_portal(portal);
        if (ns < 0) {
            errno = -ns;
            return -1;
        }
        *now = (struct timespec){ns / 1000000000, ns % 1000000000};
        return 0;
    }
    unsigned long long t = time_register();
    *now = (struct timespec){t / TIMEBASE, t % TIMEBASE * (1000000000 / TIMEBASE)};
    return 0;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec ts;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &ts) != 0)
        return -1;
    *now = (struct timeval){ts.tv_sec, ts.tv_nsec / 1000};
    return 0;
}
time_t time(time_t *out)
{
    struct timespec ts;
    time_t now = clock_gettime(CLOCK_REALTIME, &ts) == 0 ? ts.tv_sec : (time_t)-1;
    if (out)
        *out = now;
    return now;
}
clock_t times(struct tms *out)
{
    clock_t ticks = time_register() / (TIMEBASE / CLOCKS_PER_SEC);
    *out = (struct tms){.tms_utime = ticks};
    return ticks;
}
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000 || wanted->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    unsigned long long units = wanted->tv_sec * TIMEBASE + (wanted->tv_nsec + 99) / (1000000000 / TIMEBASE);
    unsigned long long start = time_register();
    /* How fast hrtime runs is the machine's affair: sleep a stretch, look, and correct; first a short one, for what is
       guessed may be far too long. */
    unsigned long long ticks_a_unit = 50, longest = TIMEBASE / 10000;
    for (unsigned long long done; (done = time_register() - start) < units; longest = TIMEBASE / 100) {
        unsigned long long stretch = units - done < longest ? units - done : longest;
        unsigned long long t0 = time_register(), h0 = hrtime();
        hrsleep(stretch * ticks_a_unit);
        unsigned long long dt = time_register() - t0;
        if (dt)
            ticks_a_unit = (hrtime() - h0) / dt + 1;
    }
    if (left)
        *left = (struct timespec){0, 0};
    return 0;
}
unsigned sleep(unsigned seconds)
{
    struct timespec time = {.tv_sec = seconds};
    nanosleep(&time, NULL);
    return 0;
}
