// expect stdout all that must hold has held
// timeout 240
// icount
// system exec-touch
#include "hostile_sequences.c"
