// isolation sfi
// form top
// loads
// expect stdout the jump table
/* The same in the last GiB of its space. */
#include "sfi_load_at_the_hosts_address_stays_inside.c"
