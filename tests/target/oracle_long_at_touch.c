// timeout 240
// expect stdout 3000 specifications right between domains, 3000 within one
// system exec-touch
#include "oracle_long.c"
