// timeout 240
// expect stdout nf: 12741 specifications right between domains
// expect stdout nf: 12741 right within one, 41500 rejected
// expect stdout that is all of them
/* Every specification that begins with "nf", against what the book says: see include/oracle_all.h. */
#define HEAD "nf"
#include "include/oracle_all.h"
