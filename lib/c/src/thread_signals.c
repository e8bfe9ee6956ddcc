/* The variables that thread_signals.h speaks of. */
#include "thread_signals.h"

__thread sigset_t __pebble_blocked, __pebble_pending;
