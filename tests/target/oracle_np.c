// timeout 240
// sample 7
/* Every specification that begins with "np", against what the book says: see include/oracle_all.h. */
#define HEAD "np"
#include "include/oracle_all.h"
