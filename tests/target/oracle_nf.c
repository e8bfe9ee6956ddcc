// timeout 240
// sample 7
/* Every specification that begins with "nf", against what the book says: see include/oracle_all.h. */
#define HEAD "nf"
#include "include/oracle_all.h"
