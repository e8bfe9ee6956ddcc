/* How threads wait, for the parts of the C library that make something of POSIX's of the system's semaphores; pthreads.c has both. */
#ifndef PEBBLE_WAITS_H
#define PEBBLE_WAITS_H
#include <time.h>

/* A semaphore that is made at its first use. */
int __pebble_made_once(int *place);
/* Takes one of a semaphore before a time, or for good where there is none: 0, ETIMEDOUT, or EDEADLK: nobody is left who could give it. */
int __pebble_wait_until(int semaphore, const struct timespec *until);
#endif
