// isolation sfi
// form zba
// expect status 126
// expect stderr store page fault at address 0x123ff
// expect stderr of its fault domain (0x2
/* The same in a segment of 4 GiB. */
#include "sfi_stack_that_ends_is_a_fault.c"
