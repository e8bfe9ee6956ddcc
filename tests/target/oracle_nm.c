// timeout 240
// sample 7
/* Every specification that begins with "nm", against what the book says: see include/oracle_all.h. */
#define HEAD "nm"
#include "include/oracle_all.h"
