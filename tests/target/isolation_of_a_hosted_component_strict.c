// system served-together
// on strict
// slices 7
// timeout 300
// same-output isolation_of_a_server
// expect stdout its exit: -202
/* "isolation_of_a_hosted_component" with time slices of every length. */
#include "include/isolation_of_a_server.h"
