// timeout 240
// expect stdout sf: 12741 specifications right between domains
// expect stdout sf: 12741 right within one, 41500 rejected
// expect stdout that is all of them
/* Every specification that begins with "sf", against what the book says: see include/oracle_all.h. */
#define HEAD "sf"
#include "include/oracle_all.h"
