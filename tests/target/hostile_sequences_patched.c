// expect stdout all that must hold has held
// system patched
// on strict
// slices 5
// timeout 240
// arguments 5 1 100
/* Where a domain of protection calls the test by patches of its page tables. */
#include "hostile_sequences.c"
