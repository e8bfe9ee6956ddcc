// system watched
// on strict
// icount
// timeout 90
// expect stdout patient: who has no stack left is asked, too
/* What marks leave in frames is nobody's to see: the same on a machine on which nothing is done that does not have to be. */
#include "deadlines.c"
