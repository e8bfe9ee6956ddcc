/* The C library's, with what it lacks: flags of `sigaction`. */
#ifndef PEBBLE_SIGNAL_H
#define PEBBLE_SIGNAL_H
#include_next <signal.h>
#define SA_RESTART 0x10   /* no wait is interrupted, so it makes no difference */
#define SA_RESETHAND 0x20 /* the handler is for the first one only */
#define SA_NODEFER 0x40   /* and lets its own through */
#endif
