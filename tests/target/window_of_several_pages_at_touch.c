// expect stdout 53 calls, right
// system exec-touch
#include "window_of_several_pages.c"
