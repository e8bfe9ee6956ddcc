/* The C library's, with ISO C11's clock. */
#ifndef PEBBLE_TIME_H
#define PEBBLE_TIME_H
#include_next <time.h>
#ifndef TIME_UTC
#define TIME_UTC 1
#ifdef __cplusplus
extern "C" {
#endif
/* The time since 1970; `base`, or 0 where that is not TIME_UTC. */
int timespec_get(struct timespec *to, int base);
#ifdef __cplusplus
}
#endif
#endif
#endif
