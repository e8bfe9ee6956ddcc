/* sigwait and its kin, which take a signal that waits and is blocked; and pthread_kill, which has one wait for another thread. */
#include "clocks.h"
#include "signals.h"
#include <time.h>

/* One of `set` that waits for this thread or for the program; 0: none. */
static int taken(sigset_t set)
{
    for (int n = 1; n < NSIG; n++) {
        sigset_t bit = __pebble_bit(n);
        if (set & bit && (__atomic_fetch_and(&__pebble_pending, ~bit, __ATOMIC_SEQ_CST) & bit || __atomic_fetch_and(&__pebble_waiting, ~bit, __ATOMIC_SEQ_CST) & bit))
            return n;
    }
    return 0;
}
/* Waits for so many units of the time register, for good where there are none; 0: it is over, or < 0: it can not wait. */
static int wait_for(sigset_t set, const unsigned long long *units)
{
    unsigned long long start = __pebble_units();
    struct pace pace = {0};
    __atomic_fetch_or(&__pebble_waited_for, set, __ATOMIC_SEQ_CST);
    if (__pebble_take_waited_for)
        __pebble_take_waited_for();
    for (;;) {
        /* First, so that one that comes from now on is not missed. */
        int semaphore = __pebble_begin_pause();
        if (semaphore < 0)
            return semaphore;
        int signal = taken(set);
        unsigned long long passed = __pebble_units() - start;
        if (signal || (units && passed >= *units)) {
            __pebble_end_pause();
            return signal;
        }
        if (!units) {
            sem_wait(semaphore);
        } else {
            __pebble_wait_units(&pace, semaphore, *units - passed, TIMEBASE / 100);
            __pebble_end_pause();
        }
    }
}
int sigwait(const sigset_t *set, int *signal)
{
    int result = wait_for(*set, NULL);
    if (result < 0)
        return EAGAIN;
    *signal = result;
    return 0;
}
int sigtimedwait(const sigset_t *set, siginfo_t *about, const struct timespec *time)
{
    if (time && (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= 1000000000)) {
        errno = EINVAL;
        return -1;
    }
    unsigned long long units = time ? time->tv_sec * TIMEBASE + (time->tv_nsec + 99) / (1000000000 / TIMEBASE) : 0;
    int result = wait_for(*set, time ? &units : NULL);
    if (result <= 0) {
        errno = EAGAIN;
        return -1;
    }
    if (about)
        *about = (siginfo_t){.si_signo = result, .si_code = SI_USER};
    return result;
}
int sigwaitinfo(const sigset_t *set, siginfo_t *about)
{
    return sigtimedwait(set, about, NULL);
}
/* Has it wait for that thread; 1: the thread lets it through. */
static int send(sigset_t *blocked, sigset_t *pending, int signal)
{
    sigset_t bit = __pebble_bit(signal);
    __atomic_fetch_or(pending, bit, __ATOMIC_SEQ_CST);
    return !(*(volatile sigset_t *)blocked & bit) && __atomic_fetch_and(pending, ~bit, __ATOMIC_SEQ_CST) & bit;
}
/* No thread is interrupted: what it lets through is handled here, on its behalf. */
int pthread_kill(pthread_t thread, int signal)
{
    if (signal < 0 || signal >= NSIG)
        return EINVAL;
    if (signal && pthread_equal(thread, pthread_self()))
        return raise(signal) < 0 ? errno : 0;
    __pebble_raise = raise;
    int result = __pebble_with_signals(thread, signal ? send : NULL, signal);
    if (result < 0)
        return -result;
    if (result > 0)
        __pebble_handle(signal);
    else if (signal && __pebble_handled)
        __pebble_handled();
    return 0;
}
