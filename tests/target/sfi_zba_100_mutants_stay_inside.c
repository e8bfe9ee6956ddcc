// isolation sfi
// form zba
// host hosts
// icount
// timeout 120
// arguments mutants 100 2 zba
// expect stdout nothing outside has changed
/* The same program in the form with add.uw. */
#include "sfi_100_mutants_stay_inside.c"
