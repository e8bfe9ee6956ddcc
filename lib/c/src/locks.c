/* The C library's locks: a word that names the holder. Who finds one held waits in the scheduler for that thread, which runs by at
   least the waiter's priority until it lets go. lib/pebble/src/sync.rs has the same in Rust, and says more. */
#include "system.h"
#include <sys/lock.h>

struct __lock {
    int word;  /* 0: free; else twice the holder's number, and 1 more if others wait */
    int depth; /* of a recursive lock */
    struct __lock *before, *next;
};
/* The heap's, and of the list of all others. */
struct __lock __lock___libc_recursive_mutex;
static struct __lock *all;
/* The thread that makes a copy of the domain. */
static int copying;

enum { WAITED = 1, LATER = 100000 };

static int take(_LOCK_T lock, int word)
{
    int none = 0;
    return __atomic_compare_exchange_n(&lock->word, &none, word, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
static void wait_for(_LOCK_T lock, int own)
{
    for (;;) {
        word turns = invoke_portal(SYS_LOCK_WAIT, &lock->word, 0l, -1l);
        int seen = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
        if (seen == 0) {
            if (take(lock, own))
                return;
            continue;
        }
        if (!(seen & WAITED) &&
            !__atomic_compare_exchange_n(&lock->word, &seen, seen | WAITED, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        own |= WAITED;
        if (turns < 0 || invoke_portal(SYS_LOCK_WAIT, &lock->word, (long)(seen >> 1), turns) < 0)
            hrsleep(LATER);
    }
}
void __retarget_lock_init(_LOCK_T *made)
{
    _LOCK_T lock = calloc(1, sizeof *lock);
    *made = lock;
    if (lock == NULL)
        return;
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    lock->next = all;
    if (all)
        all->before = lock;
    all = lock;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
void __retarget_lock_close(_LOCK_T lock)
{
    if (lock == NULL)
        return;
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    if (lock->next)
        lock->next->before = lock->before;
    *(lock->before ? &lock->before->next : &all) = lock->next;
    free(lock);
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
void __retarget_lock_acquire(_LOCK_T lock)
{
    int own = get_thread() << 1;
    if (lock && !take(lock, own))
        wait_for(lock, own);
}
int __retarget_lock_try_acquire(_LOCK_T lock)
{
    return lock && take(lock, get_thread() << 1);
}
void __retarget_lock_release(_LOCK_T lock)
{
    if (lock && __atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & WAITED)
        invoke_portal(SYS_LOCK_RELEASE, &lock->word);
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
    int own = get_thread() << 1;
    if ((__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & ~WAITED) != own && !take(lock, own))
        wait_for(lock, own);
    lock->depth++;
}
int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    int own = get_thread() << 1;
    if ((__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & ~WAITED) != own && !take(lock, own))
        return 0;
    lock->depth++;
    return 1;
}
void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (--lock->depth == 0)
        __retarget_lock_release(lock);
}
/* A domain is copied with the heap and the list of locks at rest. */
void __pebble_locks_before_copy(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    copying = get_thread();
}
void __pebble_locks_after_copy(void)
{
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
/* In the copy, which has one thread: what the copying one held is its own, by another number; what others held, nobody will let go. */
void __pebble_locks_in_copy(void)
{
    int own = get_thread() << 1;
    __lock___libc_recursive_mutex.word = own;
    for (_LOCK_T lock = all; lock; lock = lock->next) {
        /* One that is free, as nearly all are, is not written: its page need not be copied. */
        if (lock->word == 0)
            continue;
        int kept = lock->word >> 1 == copying;
        lock->word = kept ? own : 0;
        lock->depth = kept ? lock->depth : 0;
    }
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
