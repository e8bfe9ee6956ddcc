/* The C library's locks, for what can not wait for a call to take one: see locks.c. */
#ifndef PEBBLE_LOCKS_H
#define PEBBLE_LOCKS_H
#include "system.h"
#include <sys/lock.h>

struct __lock {
    int word;    /* 0: free; else the holder's number */
    int waiters; /* threads in wait_for */
    int depth;   /* of a recursive lock */
    struct __lock *before, *next;
};
/* This thread's number, where it has been asked for; 0: it has not. */
extern __thread int __pebble_thread_number;
/* Asks for it. */
int __pebble_ask_number(void);
/* Waits until the lock is free, and takes it in this name. */
void __pebble_wait_for_lock(_LOCK_T lock, int name);

/* Names this thread without a call, where it is on its own stack. One that came in through a portal has variables that are not its own, but
   those of the thread that the program began with; its stack is another. */
static inline int __pebble_own(void)
{
    size_t below = (char *)__builtin_frame_address(0) - __pebble_stack_low;
    int known = below < (size_t)(__pebble_stack_top - __pebble_stack_low) ? __pebble_thread_number : 0;
    return known ? known : __pebble_ask_number();
}
static inline int __pebble_take(_LOCK_T lock, int name)
{
    int none = 0;
    return __atomic_compare_exchange_n(&lock->word, &none, name, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
/* Takes a lock that this thread may have already. */
static inline void __pebble_lock_again(_LOCK_T lock)
{
    int name = __pebble_own();
    if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) != name && !__pebble_take(lock, name))
        __pebble_wait_for_lock(lock, name);
    lock->depth++;
}
static inline void __pebble_unlock_again(_LOCK_T lock)
{
    if (--lock->depth == 0)
        __retarget_lock_release(lock);
}
#endif
