// expect stdout all that must hold has held
// timeout 240
// on strict
// slices 1
// arguments 1 1 300
/* The same where translations are kept until they are fenced, with time slices of every length. */
#include "hostile_sequences.c"
