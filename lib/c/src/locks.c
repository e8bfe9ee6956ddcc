/* The C library's locks: a word that names the holder. Who finds one held waits in the scheduler for that thread, which runs by at
   least the waiter's priority until it lets go. lib/pebble/src/sync.rs has the same in Rust, and says more: why letting go needs no
   atomic access, for one. */
#include "locks.h"

/* The heap's, and of the list of all others. */
struct __lock __lock___libc_recursive_mutex;
static struct __lock *all;
/* The thread that makes a copy of the domain. */
static int copying;

enum { LATER = 100000 };

__thread char *__pebble_stack_low;
__thread int __pebble_thread_number;

int __pebble_ask_number(void)
{
    size_t below = (char *)__builtin_frame_address(0) - __pebble_stack_low;
    if (below >= (size_t)(__pebble_stack_top - __pebble_stack_low))
        return get_thread();
    return __pebble_thread_number = get_thread();
}
void __pebble_wait_for_lock(_LOCK_T lock, int name)
{
    __atomic_fetch_add(&lock->waiters, 1, __ATOMIC_SEQ_CST); /* before the word is looked at */
    for (;;) {
        word turns = invoke_portal(SYS_LOCK_WAIT, &lock->word, 0l, -1l);
        int seen = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
        if (seen == 0) {
            if (__pebble_take(lock, name))
                break;
            continue;
        }
        if (turns < 0 || invoke_portal(SYS_LOCK_WAIT, &lock->word, (long)seen, turns) < 0)
            hrsleep(LATER);
    }
    __atomic_fetch_sub(&lock->waiters, 1, __ATOMIC_RELAXED);
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
    int name = __pebble_own();
    if (lock && !__pebble_take(lock, name))
        __pebble_wait_for_lock(lock, name);
}
int __retarget_lock_try_acquire(_LOCK_T lock)
{
    return lock && __pebble_take(lock, __pebble_own());
}
void __retarget_lock_release(_LOCK_T lock)
{
    if (!lock)
        return;
    /* The order is for the compiler: the threads of a domain share a hart. */
    __atomic_signal_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&lock->word, 0, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&lock->waiters, __ATOMIC_RELAXED))
        invoke_portal(SYS_LOCK_RELEASE, &lock->word, 0l);
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
    __pebble_lock_again(lock);
}
int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    int name = __pebble_own();
    if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) != name && !__pebble_take(lock, name))
        return 0;
    lock->depth++;
    return 1;
}
void __retarget_lock_release_recursive(_LOCK_T lock)
{
    __pebble_unlock_again(lock);
}
/* A domain is copied with the heap and the list of locks at rest. */
void __pebble_locks_before_copy(void)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    copying = __pebble_own();
}
void __pebble_locks_after_copy(void)
{
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
/* What else a copy has to do before it goes on. */
void (*__pebble_in_copy[COPY_HOOKS])(void);

/* In the copy, which has one thread: what the copying one held is its own, by another number; what others held, nobody will let go. */
void __pebble_locks_in_copy(void)
{
    __pebble_thread_number = 0;
    int name = __pebble_own();
    __lock___libc_recursive_mutex.word = name;
    __lock___libc_recursive_mutex.waiters = 0;
    for (_LOCK_T lock = all; lock; lock = lock->next) {
        /* One that is free, as nearly all are, is not written: its page need not be copied. */
        if (lock->word == 0 && lock->waiters == 0)
            continue;
        int kept = lock->word == copying;
        lock->waiters = 0;
        lock->word = kept ? name : 0;
        lock->depth = kept ? lock->depth : 0;
    }
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    for (int n = 0; n < COPY_HOOKS; n++)
        if (__pebble_in_copy[n])
            __pebble_in_copy[n]();
}
