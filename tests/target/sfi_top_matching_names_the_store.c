// isolation sfi
// form top
// matching
// expect status 126
// expect stderr of its fault domain (0x2
// expect stdout what lies inside is written
// expect stderr breakpoint
/* The same in the last GiB of its space. */
#include "sfi_matching_names_the_store.c"
