// isolation sfi
// form zba
// loads
// expect stdout the jump table
/* The same in a segment of 4 GiB. */
#include "sfi_load_at_the_hosts_address_stays_inside.c"
