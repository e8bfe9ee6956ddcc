// isolation supervisor
// icount
// timeout 60
// expect stdout patch nothing often 0 0 0 64 72
// expect stdout patch patch seldom 64 14 14 1768 2296
/* The measurement of `./pebble bench patches`, where each of its ways reaches all pages that it touches: a fault with interrupts off would stop the
   machine. */
#include "../../apps/bench/patches.c"
