// system served-zba
// timeout 60
// same-output isolation_of_a_server
// expect stdout 40 and 2: 42
// expect stdout letters: 1
// expect stdout turned round: "edisni", 6
// expect stdout a sum over three pages: 5000
// expect stdout filled: 4100, and what is beside it: -- and --
// expect stdout passed on: 209
// expect stdout its last argument: "two words"
// expect stdout allocated: 100000
// expect stdout the thread ended: -202
// expect stdout a fault: -202, and again: -202
// expect stdout started again: 42
// expect stdout a jump to nowhere: -202
// expect stdout started again: 42
// expect stdout killed in a call: -202
// expect stdout started again: 42
// expect stdout too late: -116, and others are answered: 42
// expect stdout its exit: -202
// expect stderr store page fault at address 0x1200000008, pc 0x120
/* "isolation_of_a_server" with a server that is a software fault domain in a segment of 4 GiB. */
#include "include/isolation_of_a_server.h"
