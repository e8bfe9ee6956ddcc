/* The C library's, with what POSIX has and Pebble's own header calls otherwise. */
#ifndef PEBBLE_UNISTD_H
#define PEBBLE_UNISTD_H
#include_next <unistd.h>
#ifdef __cplusplus
extern "C" {
#endif
pid_t __pebble_fork_process(void) __attribute__((returns_twice)); /* a copy of this domain, as domain_fork; wait and waitpid know it */
#ifdef __cplusplus
}
#endif
/* In a file that includes pebble.h it makes a thread, unless that asks for POSIX. */
#if !defined(PEBBLE_H) || defined(PEBBLE_POSIX)
#define fork __pebble_fork_process
#define vfork __pebble_fork_process
#endif
#endif
