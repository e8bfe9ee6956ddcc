// timeout 240
// sample 7
/* Every specification that begins with "sm", against what the book says: see include/oracle_all.h. */
#define HEAD "sm"
#include "include/oracle_all.h"
