// expect stdout all that must hold has held
// timeout 240
// system exec-touch
#include "hostile_sequences.c"
