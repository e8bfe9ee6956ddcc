/* The C library's, with the names that BSD has for waiting. */
#ifndef PEBBLE_SYS_WAIT_H
#define PEBBLE_SYS_WAIT_H
#include_next <sys/wait.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
struct rusage;
pid_t wait3(int *status, int options, struct rusage *used); /* all time is the program's: see getrusage */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *used);
#ifdef __cplusplus
}
#endif
#endif
