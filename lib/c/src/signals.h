/* What the parts of the C library that know signals share. */
#ifndef PEBBLE_SIGNALS_H
#define PEBBLE_SIGNALS_H

#include "system.h"
#include <signal.h>

/* What is to be done for each signal, under the C library's lock. */
extern struct sigaction __pebble_actions[NSIG];
/* What this thread blocks; and where the first one has that, as soon as signals may come from outside. */
extern __thread sigset_t __pebble_blocked;
extern sigset_t *__pebble_first_blocked;
/* Signals from outside that the first thread blocks; changed by atomic operations. */
extern sigset_t __pebble_waiting;
/* Called when a handler has returned, if it is not NULL. */
extern void (*__pebble_handled)(void);
/* How a signal is raised, in a program that has said what is to be done for some signal, or has blocked one; else NULL. */
extern int (*__pebble_raise)(int);

static inline sigset_t __pebble_bit(int signal)
{
    return (sigset_t)1 << signal;
}
/* Those that POSIX ignores where nobody asks for them. */
#define IGNORED (__pebble_bit(SIGCHLD) | __pebble_bit(SIGCONT) | __pebble_bit(SIGURG) | __pebble_bit(SIGWINCH))

/* One that came from outside: its handler runs in this thread, or in the first one when that lets it through. */
void __pebble_from_outside(int signal);
#endif
