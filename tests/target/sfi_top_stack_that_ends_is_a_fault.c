// isolation sfi
// form top
// expect status 126
// expect stderr store page fault at address 0x3ffff
// expect stderr of its fault domain (0x2
/* The same in the last GiB of its space. */
#include "sfi_stack_that_ends_is_a_fault.c"
