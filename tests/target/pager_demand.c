// expect stdout sum 2730491905
// expect stdout 16 pages made, status 0
#include "../../apps/examples/pager.c"
