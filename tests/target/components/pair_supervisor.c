/* `pair.c` as an image of its own: what is in supervisor mode is built otherwise. */
#include "pair.c"
