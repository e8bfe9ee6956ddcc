// expect stdout through three domains: abc
// expect stdout 4000 concurrent calls with one page: right
// expect stdout after the return the page is closed: 1
// system exec-touch
#include "window_passed_on.c"
