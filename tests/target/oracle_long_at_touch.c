// timeout 240
// sample 4
// system exec-touch
#include "oracle_long.c"
