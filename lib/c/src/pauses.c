/* pause and sigsuspend: a thread waits until a signal has been handled, in whichever thread of the domain that was. */
#include "signals.h"
#include <sys/lock.h>
#include <unistd.h>

static int done, sleepers;

static void wake(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    int all = sleepers;
    sleepers = 0;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    while (all-- > 0)
        sem_post(done);
}
static void in_copy(void)
{
    done = sleepers = 0;
}
/* What wakes those who sleep, as this thread is going to; < 0: it can not. */
int __pebble_begin_pause(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    if (!done) {
        int made = sem_create(0);
        done = made > 0 ? made : 0;
        __pebble_in_copy[COPY_OF_PAUSES] = in_copy;
        __pebble_handled = wake;
    }
    sleepers += done != 0;
    int semaphore = done ? done : -EAGAIN;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    return semaphore;
}
void __pebble_end_pause(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    int woken = sleepers == 0;
    sleepers -= !woken;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    if (woken)
        sem_wait(done);
}
int sigsuspend(const sigset_t *mask)
{
    sigset_t before;
    /* First, so that one that comes from now on is not missed. */
    int semaphore = __pebble_begin_pause();
    if (semaphore >= 0) {
        sigprocmask(SIG_SETMASK, mask, &before);
        sem_wait(semaphore);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    errno = semaphore < 0 ? EAGAIN : EINTR;
    return -1;
}
int pause(void)
{
    return sigsuspend(&__pebble_blocked);
}
