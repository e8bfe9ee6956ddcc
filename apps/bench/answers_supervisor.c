/* The same as an image of its own: what executes in supervisor mode is built otherwise. */
#include "answers.c"
