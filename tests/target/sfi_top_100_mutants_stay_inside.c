// isolation sfi
// form top
// host hosts
// icount
// timeout 120
// arguments mutants 100 2 top
// expect stdout nothing outside has changed
/* The same program in the last GiB of its space. */
#include "sfi_100_mutants_stay_inside.c"
