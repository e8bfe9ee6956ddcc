/* The C library's locks: a count of users, and a semaphore once two of them meet. */
#include "system.h"
#include <sys/lock.h>

struct __lock {
    int users;      /* threads that hold it or wait for it */
    int semaphore;  /* made at the first contention */
    int owner;      /* of a recursive lock; 0: nobody */
    int depth;
};
struct __lock __lock___libc_recursive_mutex;

static int semaphore_of(_LOCK_T lock)
{
    int semaphore = __atomic_load_n(&lock->semaphore, __ATOMIC_ACQUIRE);
    while (semaphore == 0) {
        int made = sem_create(0), none = 0;
        if (made <= 0)
            yield();
        else if (__atomic_compare_exchange_n(&lock->semaphore, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return made;
        else
            sem_destroy(made);
        semaphore = __atomic_load_n(&lock->semaphore, __ATOMIC_ACQUIRE);
    }
    return semaphore;
}
void __retarget_lock_init(_LOCK_T *lock)
{
    *lock = calloc(1, sizeof **lock);
}
void __retarget_lock_close(_LOCK_T lock)
{
    if (lock && lock->semaphore)
        sem_destroy(lock->semaphore);
    free(lock);
}
void __retarget_lock_acquire(_LOCK_T lock)
{
    /* A wait that ended for a thread whose caller is gone has not taken the lock. */
    if (lock && __atomic_fetch_add(&lock->users, 1, __ATOMIC_ACQUIRE) > 0)
        while (sem_wait(semaphore_of(lock)) == -ECANCELED)
            ;
}
int __retarget_lock_try_acquire(_LOCK_T lock)
{
    int none = 0;
    return lock && __atomic_compare_exchange_n(&lock->users, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
void __retarget_lock_release(_LOCK_T lock)
{
    if (lock && __atomic_fetch_sub(&lock->users, 1, __ATOMIC_RELEASE) > 1)
        sem_post(semaphore_of(lock));
}
void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    __retarget_lock_init(lock);
}
void __retarget_lock_close_recursive(_LOCK_T lock)
{
    __retarget_lock_close(lock);
}
void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    int self = get_thread();
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self) {
        __retarget_lock_acquire(lock);
        __atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
    }
    lock->depth++;
}
int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    int self = get_thread();
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self) {
        if (!__retarget_lock_try_acquire(lock))
            return 0;
        __atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
    }
    lock->depth++;
    return 1;
}
void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (--lock->depth == 0) {
        __atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
        __retarget_lock_release(lock);
    }
}
