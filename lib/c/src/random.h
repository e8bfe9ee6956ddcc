#ifndef PEBBLE_RANDOM_H
#define PEBBLE_RANDOM_H

#include <stdint.h>

/* As arc4random, for what is only to be unlike others: where the source is not there yet, nothing waits for it. */
uint64_t __pebble_unlike_others(void);
#endif
