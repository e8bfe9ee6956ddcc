// system served-sfi
// on strict
// slices 9
// timeout 120
// expect stdout 40 and 2: 42
// expect stdout letters: 1
// expect stdout a sum over three pages: 5000
// expect stdout a fault: -202, and again: -202
// expect stdout started again: 42
// expect stdout killed in a call: -202
// expect stdout too late: -116, and others are answered: 42
// expect stdout its exit: -202
/* "isolation_of_a_fault_domain" where a thread may be preempted anywhere in the fault domain, and every stale translation is found. */
#include "include/isolation_of_a_server.h"
