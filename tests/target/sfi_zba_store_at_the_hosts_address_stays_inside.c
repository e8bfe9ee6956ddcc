// isolation sfi
// form zba
// expect status 0
// expect stdout the host has what it had, and the fault domain what was stored
/* The same in a segment of 4 GiB. */
#include "sfi_store_at_the_hosts_address_stays_inside.c"
