// expect stdout filled 10000 bytes, their sum is 1020000
// expect stdout the server sees 7
// expect stdout it has taken a page that starts with g
// expect stdout and given a page of the server's
#include "../../apps/examples/windows.c"
