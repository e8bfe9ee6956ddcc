// system served-supervisor
// timeout 300
// expect stdout ended 1000 times, and its neighbour answered 1000 times
/* The server executes in supervisor mode by its manifest. */
#include "include/started_1000_times.h"
