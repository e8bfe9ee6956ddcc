// system served-top
// timeout 60
// expect stdout its registers: 7, 100 times
// expect stdout what it reads: 1, 0 bytes changed
// expect stdout beside: 100, 100 bytes changed
// expect stdout requests that are the host's: 0
// expect stdout entry points: 1, and those that were there: 7
// expect stdout strange entries: 0 and returned, 0 and ended, 0 and ended, 0 and ended
/* The same in the last GiB of its space. */
#include "fault_domain_lies_to_its_callers.c"
