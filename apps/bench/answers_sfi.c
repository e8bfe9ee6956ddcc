/* `answers.c` as a software fault domain: an image is rewritten for that, or not. */
#include "answers.c"
