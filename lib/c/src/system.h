/* What all parts of the C library share. */
#ifndef PEBBLE_SYSTEM_H
#define PEBBLE_SYSTEM_H

#include "abi.h"
#include <pebble.h>
#include <pebble_interfaces.h>

/* locks.c: around the copying of the domain, in the one that is copied and in the copy. */
void __pebble_locks_before_copy(void);
void __pebble_locks_after_copy(void);
void __pebble_locks_in_copy(void);
/* Called in the copy then, those that are not NULL. */
enum { COPY_OF_MAPPINGS, COPY_OF_TIMERS, COPY_OF_SIGNALS, COPY_OF_PAUSES, COPY_OF_LOCKS, COPY_HOOKS };
extern void (*__pebble_in_copy[COPY_HOOKS])(void);

/* Whether the domain is about to end because nobody takes its standard output. */
extern int __pebble_stdout_is_broken;
/* The portal called `name`, which is opened at the first use and kept in `portal`; < 0: why it could not be. */
int __pebble_opened(int *portal, const char *name);
/* The same, for calls that may wait: what provides `name` may not be there yet, for which this waits two seconds at most, once. */
int __pebble_awaited(int *portal, const char *name);
/* Whether a call through number `through`, which *portal had, has ended so because its server had died: then it is closed, and *portal is 0 or another thread's. */
int __pebble_lost(int *portal, int through, word result);
/* The number to call again by, where a call through `through` has ended so: that of the next server's portal, for which this waits two seconds at most; else 0. */
int __pebble_reopened(int *portal, const char *name, int through, word result);
/* CALLED(portal, name, through, call): what a call through `portal` comes to, which has number `through` in it. It is opened by its name at the first use, and the call made again where
   its server has died and was started again. */
#define CALLED(portal, name, through, ...)                                 \
    ({                                                                     \
        int through = __pebble_awaited(&portal, name);                     \
        word called_ = through < 0 ? through : (word)__VA_ARGS__;          \
        through = __pebble_reopened(&portal, name, through, called_);      \
        through > 0 ? (word)__VA_ARGS__ : called_;                         \
    })
/* Top of the stack that this thread runs on; what lies below it is copied by fork. */
extern __thread char *__pebble_stack_top;
/* The lowest address that it may have. */
extern __thread char *__pebble_stack_low;
/* thread_create with a stack of so many bytes. */
int __pebble_thread_on(size_t stack, void (*entry)(void *), void *argument);
/* Makes the block of thread-local variables at `block` and returns it. */
void *__pebble_tls(void *block);
/* Whether each thread has variables of its own. */
int __pebble_has_threads(void);
extern char __tls_size[];

/* Copies a string to a field; 0 if it does not fit. */
static inline int copy_name(char to[NAMELEN], const char *from)
{
    to = __builtin_assume_aligned(to, 8);
    memset(to, 0, NAMELEN);
    for (size_t n = 0; n < NAMELEN; n++)
        if (!(to[n] = from[n]))
            return 1;
    return 0;
}
#endif
