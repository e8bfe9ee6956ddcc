// system exec-counted
// expect stdout all that must hold has held
// timeout 240
// on strict
// slices 4
// arguments 4 1 300
/* The same where calls are counted: each thread's time goes to the counters of a domain that lives, whoever has ended. */
#include "hostile_sequences.c"
