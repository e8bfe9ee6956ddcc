/* Real time for the parts of the C library that wait: the time register, whose rate is known, and waits, which are in ticks of hrtime, whose
   rate is the machine's affair. */
#ifndef PEBBLE_CLOCKS_H
#define PEBBLE_CLOCKS_H

#include "system.h"

/* Units of the time register in a second. */
#define TIMEBASE 10000000ull
/* For how long a server that has died is waited for, in units of the time register, and ticks of hrtime() after which it is looked for again. */
#define SERVER_PATIENCE (2 * TIMEBASE)
#define SERVER_LATER 1000000

static inline unsigned long long __pebble_units(void)
{
    unsigned long long t;
    __asm__ volatile("rdtime %0" : "=r"(t));
    return t;
}
/* What is known of hrtime's rate; { 0 }: nothing yet. */
struct pace {
    unsigned long long ticks_a_unit;
};
/* Waits on a semaphore, or only sleeps (-1), for at most so many units, not longer than `longest`, and measures. Where nothing is known it
   waits for a tenth of a millisecond, for what is guessed may be far too long. So whoever calls this looks at the time, and
   calls again. */
void __pebble_wait_units(struct pace *pace, int semaphore, unsigned long long units, unsigned long long longest);
#endif
