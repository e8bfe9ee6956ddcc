/* The C library's, for characters in UTF-8. */
#ifndef PEBBLE_LIMITS_H
#define PEBBLE_LIMITS_H
#include_next <limits.h>
#undef MB_LEN_MAX
#define MB_LEN_MAX 4
#endif
