/* The C library's, with what it leaves out. */
#ifndef PEBBLE_SCHED_H
#define PEBBLE_SCHED_H
#include_next <sched.h>
#ifdef __cplusplus
extern "C" {
#endif
int sched_yield(void); /* to threads of the same priority */
#ifdef __cplusplus
}
#endif
#endif
