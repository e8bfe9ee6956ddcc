/* What the parts of the C library that know signals share. */
#ifndef PEBBLE_SIGNALS_H
#define PEBBLE_SIGNALS_H

#include "system.h"
#include "thread_signals.h"

/* What is to be done for each signal, under the C library's lock. */
extern struct sigaction __pebble_actions[NSIG];
/* Where the first thread has what it blocks, as soon as signals may come from outside. */
extern sigset_t *__pebble_first_blocked;
/* Signals for the program, not for one thread, that the first thread blocks; changed by atomic operations. */
extern sigset_t __pebble_waiting;
/* Called when a handler has returned, or a signal waits that did not before, if it is not NULL. */
extern void (*__pebble_handled)(void);
/* Those that somebody waits for by sigwait, which come from outside though nothing has been said about them. */
extern sigset_t __pebble_waited_for;
/* outside_signals.c: takes them from now on, if it is not NULL. */
extern void (*__pebble_take_waited_for)(void);
/* How a signal is raised, in a program that has said what is to be done for some signal, or has blocked one; else NULL. */
extern int (*__pebble_raise)(int);

static inline sigset_t __pebble_bit(int signal)
{
    return (sigset_t)1 << signal;
}
/* Those that POSIX ignores where nobody asks for them. */
#define IGNORED (__pebble_bit(SIGCHLD) | __pebble_bit(SIGCONT) | __pebble_bit(SIGURG) | __pebble_bit(SIGWINCH))

/* One for the program: its handler runs in this thread, or in the first one when that lets it through. */
void __pebble_from_outside(int signal);
/* Does what is to be done for a signal, whether this thread blocks it or not. */
void __pebble_handle(int signal);
/* pauses.c: what wakes this thread when a signal has been handled or waits, from now on; < 0: it can not be. And without having waited. */
int __pebble_begin_pause(void);
void __pebble_end_pause(void);
/* Calls a handler on a stack that ends at `top`. */
void __pebble_call_on(char *top, _sig_func_ptr handler, int signal);
#endif
