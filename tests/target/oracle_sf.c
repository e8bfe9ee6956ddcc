// timeout 240
// sample 7
/* Every specification that begins with "sf", against what the book says: see include/oracle_all.h. */
#define HEAD "sf"
#include "include/oracle_all.h"
