// isolation sfi
// form zba
// expect status 126
/* The same in a segment of 4 GiB. */
#include "sfi_stack_that_ends_is_a_fault.c"
