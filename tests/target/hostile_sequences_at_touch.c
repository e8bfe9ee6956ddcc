// expect stdout all that must hold has held
// timeout 90
// system exec-touch
#include "hostile_sequences.c"
