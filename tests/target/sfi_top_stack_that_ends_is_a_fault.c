// isolation sfi
// form top
// expect status 126
/* The same in the last GiB of its space. */
#include "sfi_stack_that_ends_is_a_fault.c"
