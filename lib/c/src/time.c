/* Time. hrtime counts pairs of core cycles; the C library's clocks come from the clock driver and the time register. */
#include "clocks.h"
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

void hrsleep(unsigned long long ticks)
{
    pebble_scheduler_sleep(ticks > INT64_MAX ? INT64_MAX : (word)ticks);
}

/* The time of day in nanoseconds; asked once more where the clock has died and was started again. */
static word time_of_day(void)
{
    static int portal;
    return CALLED(portal, PEBBLE_CLOCK_TIME, through, pebble_clock_time(through));
}
/* All time that passes is the program's. */
static int is_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}
int clock_getres(clockid_t clock, struct timespec *step)
{
    if (!is_clock(clock)) {
        errno = EINVAL;
        return -1;
    }
    if (step)
        *step = (struct timespec){0, 1000000000 / TIMEBASE};
    return 0;
}
/* The clock is the machine's, or the network's to set. */
int clock_settime(clockid_t clock, const struct timespec *time)
{
    errno = is_clock(clock) && time->tv_nsec >= 0 && time->tv_nsec < 1000000000 ? EPERM : EINVAL;
    return -1;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock == CLOCK_REALTIME) {
        word ns = time_of_day();
        if (ns < 0) {
            errno = -ns;
            return -1;
        }
        *now = (struct timespec){ns / 1000000000, ns % 1000000000};
        return 0;
    }
    if (!is_clock(clock)) {
        errno = EINVAL;
        return -1;
    }
    unsigned long long t = __pebble_units();
    *now = (struct timespec){t / TIMEBASE, t % TIMEBASE * (1000000000 / TIMEBASE)};
    return 0;
}
int timespec_get(struct timespec *to, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
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
    clock_t ticks = __pebble_units() / (TIMEBASE / CLOCKS_PER_SEC);
    *out = (struct tms){.tms_utime = ticks};
    return ticks;
}
void __pebble_wait_units(struct pace *pace, int semaphore, unsigned long long units, unsigned long long longest)
{
    /* What is shorter says little of a rate. */
    enum { GUESS = 50, MEASURED = TIMEBASE / 20000 };
    unsigned long long rate = pace->ticks_a_unit ? pace->ticks_a_unit : GUESS;
    if (!pace->ticks_a_unit)
        longest = TIMEBASE / 10000;
    unsigned long long ticks = (units < longest ? units : longest) * rate;
    unsigned long long t0 = __pebble_units(), h0 = hrtime();
    if (semaphore < 0)
        hrsleep(ticks);
    else
        sem_timedwait(semaphore, ticks);
    unsigned long long dt = __pebble_units() - t0;
    if (dt >= MEASURED)
        pace->ticks_a_unit = (hrtime() - h0) / dt + 1;
}
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000 || wanted->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    unsigned long long units = wanted->tv_sec * TIMEBASE + (wanted->tv_nsec + 99) / (1000000000 / TIMEBASE);
    unsigned long long start = __pebble_units();
    struct pace pace = {0};
    for (unsigned long long done; (done = __pebble_units() - start) < units;)
        __pebble_wait_units(&pace, -1, units - done, TIMEBASE / 100);
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
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    struct timespec now, rest = *wanted;
    if (clock == CLOCK_THREAD_CPUTIME_ID || wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000)
        return EINVAL;
    if (clock_gettime(clock, &now) < 0)
        return errno;
    if (flags & TIMER_ABSTIME) {
        rest = (struct timespec){wanted->tv_sec - now.tv_sec, wanted->tv_nsec - now.tv_nsec};
        if (rest.tv_nsec < 0)
            rest = (struct timespec){rest.tv_sec - 1, rest.tv_nsec + 1000000000};
        if (rest.tv_sec < 0)
            return 0;
    }
    return nanosleep(&rest, flags & TIMER_ABSTIME ? NULL : left) < 0 ? errno : 0;
}
