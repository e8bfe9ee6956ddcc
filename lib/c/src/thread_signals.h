/* What signals each thread blocks, and which wait for it; both are all that a program has of signals that only makes threads. */
#ifndef PEBBLE_THREAD_SIGNALS_H
#define PEBBLE_THREAD_SIGNALS_H
#include <pthread.h>
#include <signal.h>

extern __thread sigset_t __pebble_blocked;
/* Changed by atomic operations: others may send one. */
extern __thread sigset_t __pebble_pending;
/* Calls `act` with both of another thread's, which does not end meanwhile; its result, or -ESRCH. */
int __pebble_with_signals(pthread_t thread, int (*act)(sigset_t *blocked, sigset_t *pending, int signal), int signal);
#endif
