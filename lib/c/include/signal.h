/* The C library's, with what it lacks: flags of `sigaction`. */
#ifndef PEBBLE_SIGNAL_H
#define PEBBLE_SIGNAL_H
#include_next <signal.h>
#define SA_RESTART 0x10   /* no wait is interrupted, so it makes no difference */
#define SA_RESETHAND 0x20 /* the handler is for the first one only */
#define SA_NODEFER 0x40   /* and lets its own through */
#define SA_ONSTACK 0x80   /* it runs on the stack of sigaltstack, where this thread has one */
/* As functions they say EINVAL of what is no signal. */
#undef sigemptyset
#undef sigfillset
#undef sigaddset
#undef sigdelset
#undef sigismember
#ifdef __cplusplus
extern "C" {
#endif
int siginterrupt(int signal, int interrupts); /* no wait is interrupted */
#ifdef __cplusplus
}
#endif
#endif
