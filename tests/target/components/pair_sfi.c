/* `pair.c` as an image of its own: what is a software fault domain is built otherwise. */
#include "pair.c"
