/* alarm and setitimer: one thread of a domain waits for the time that was set last, and raises SIGALRM, whose handler runs in it. */
#include "clocks.h"
#include <signal.h>
#include <sys/lock.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECOND = TIMEBASE, MICROSECOND = TIMEBASE / 1000000 };
/* Units of the time register: when it is time, 0 for never, and from one time to the next. */
static unsigned long long next, interval;
/* What wakes the thread when these have changed; whether there is one. */
static int changed, waits;

static void lock(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
}
static void unlock(void)
{
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
/* How long to wait at once for a time so far away: most of it, since the rate is measured only, until it is near. */
static unsigned long long stretch(unsigned long long left)
{
    enum { NEAR = TIMEBASE / 1000 };
    return left <= NEAR ? left : left - left / 8;
}
static void ring(void *unused)
{
    (void)unused;
    struct pace pace = {0};
    for (;;) {
        lock();
        unsigned long long now = __pebble_units(), at = next;
        int over = at && at <= now;
        /* Those that it was too late for are left out. */
        if (over)
            next = interval ? at + (now - at + interval) / interval * interval : 0;
        unlock();
        if (over)
            raise(SIGALRM);
        else if (at)
            __pebble_wait_units(&pace, changed, at - now, stretch(at - now));
        else
            sem_wait(changed);
    }
}
/* In a copy of the domain: no timer is set, and the thread is not copied. */
static void in_copy(void)
{
    next = interval = 0;
    waits = 0;
}
/* The lock is held. */
static int start(void)
{
    if (waits)
        return 0;
    changed = sem_create(0);
    if (changed < 0)
        return changed;
    int thread = thread_create(ring, NULL, -1);
    if (thread < 0) {
        sem_destroy(changed);
        return thread;
    }
    __pebble_in_copy[COPY_OF_TIMERS] = in_copy;
    waits = 1;
    return 0;
}
static unsigned long long units(struct timeval time)
{
    return time.tv_sec * (unsigned long long)SECOND + time.tv_usec * (unsigned long long)MICROSECOND;
}
static struct timeval time_of(unsigned long long units)
{
    return (struct timeval){units / SECOND, units % SECOND / MICROSECOND};
}
/* Longer than anybody waits, and far from where units overflow. */
static int is_time(struct timeval time)
{
    return time.tv_usec >= 0 && time.tv_usec < 1000000 && time.tv_sec >= 0 && time.tv_sec <= 1000000000;
}
static struct itimerval left(void)
{
    unsigned long long now = __pebble_units();
    return (struct itimerval){time_of(interval), time_of(next > now ? next - now : 0)};
}
int getitimer(int which, struct itimerval *value)
{
    if (which != ITIMER_REAL) {
        errno = EINVAL;
        return -1;
    }
    lock();
    struct itimerval now = left();
    unlock();
    *value = now;
    return 0;
}
/* EAGAIN: the domain may have no thread or semaphore more. */
int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict before)
{
    if (which != ITIMER_REAL || (value && !(is_time(value->it_value) && is_time(value->it_interval)))) {
        errno = EINVAL;
        return -1;
    }
    struct itimerval wanted = value ? *value : (struct itimerval){0};
    unsigned long long wait = units(wanted.it_value);
    lock();
    struct itimerval had = left();
    int result = wait ? start() : 0;
    if (result == 0) {
        next = wait ? __pebble_units() + wait : 0;
        interval = wait ? units(wanted.it_interval) : 0;
    }
    int told = waits;
    unlock();
    if (result < 0) {
        errno = EAGAIN;
        return -1;
    }
    if (told)
        sem_post(changed);
    if (before)
        *before = had;
    return 0;
}
unsigned alarm(unsigned seconds)
{
    struct itimerval wanted = {.it_value.tv_sec = seconds < 1000000000 ? seconds : 1000000000}, had = {0};
    setitimer(ITIMER_REAL, &wanted, &had);
    /* 0 would be: none was set. */
    return had.it_value.tv_sec + (had.it_value.tv_usec > 0);
}
