// timeout 240
// sample 7
/* Every specification that begins with "sp", against what the book says: see include/oracle_all.h. */
#define HEAD "sp"
#include "include/oracle_all.h"
