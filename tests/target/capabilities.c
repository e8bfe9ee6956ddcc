// expect stdout read with the first: 42
// expect stdout write with the first: -204
// expect stdout write with the second: 44, and again: -9
// expect stdout with a name of nobody's: -9
// expect stdout revoked: 3
// expect stdout after the first was revoked: -9
#include "../../apps/examples/keys.c"
