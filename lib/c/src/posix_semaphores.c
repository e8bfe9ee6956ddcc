/* POSIX's semaphores: a count, and one of the system's for those who find it used up, so that nobody makes a call where nobody waits. */
#include "system.h"
#include "waits.h"
#include <semaphore.h>
#undef sem_wait
#undef sem_post
#undef sem_trywait
#undef sem_timedwait
#undef sem_destroy

static int failed(int error)
{
    errno = error;
    return -1;
}
int __pebble_sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (shared || value > SEM_VALUE_MAX)
        return failed(shared ? ENOSYS : EINVAL);
    *semaphore = (sem_t){.value = (int)value};
    return 0;
}
int __pebble_sem_destroy(sem_t *semaphore)
{
    if (semaphore->value < 0)
        return failed(EBUSY);
    if (semaphore->semaphore)
        sem_destroy(semaphore->semaphore);
    semaphore->semaphore = 0;
    return 0;
}
int __pebble_sem_trywait(sem_t *semaphore)
{
    int value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
    while (value > 0)
        if (__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 0;
    return failed(EAGAIN);
}
/* Takes back that it waits; 0: it has been woken meanwhile. */
static int give_up(sem_t *semaphore)
{
    int value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
    while (value < 0)
        if (__atomic_compare_exchange_n(&semaphore->value, &value, value + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 1;
    return 0;
}
static int wait_for(sem_t *semaphore, const struct timespec *until)
{
    if (__pebble_sem_trywait(semaphore) == 0)
        return 0;
    if (until && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000))
        return failed(EINVAL);
    int waits = __pebble_made_once(&semaphore->semaphore);
    if (__atomic_fetch_sub(&semaphore->value, 1, __ATOMIC_ACQUIRE) > 0)
        return 0;
    int error = __pebble_wait_until(waits, until);
    if (error && !give_up(semaphore))
        error = __pebble_wait_until(waits, NULL);
    return error ? failed(error) : 0;
}
int __pebble_sem_wait(sem_t *semaphore)
{
    return wait_for(semaphore, NULL);
}
int __pebble_sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    return wait_for(semaphore, until);
}
int __pebble_sem_post(sem_t *semaphore)
{
    int value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
    do
        if (value == SEM_VALUE_MAX)
            return failed(EOVERFLOW);
    while (!__atomic_compare_exchange_n(&semaphore->value, &value, value + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    if (value < 0)
        sem_post(semaphore->semaphore);
    return 0;
}
int __pebble_sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    int now = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
    *value = now > 0 ? now : 0;
    return 0;
}
sem_t *__pebble_sem_open(const char *name, int flags, ...)
{
    (void)name, (void)flags;
    errno = ENOSYS;
    return SEM_FAILED;
}
int __pebble_sem_close(sem_t *semaphore)
{
    (void)semaphore;
    return failed(ENOSYS);
}
int __pebble_sem_unlink(const char *name)
{
    (void)name;
    return failed(ENOSYS);
}
