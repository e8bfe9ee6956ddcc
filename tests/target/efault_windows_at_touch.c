// expect stdout unmapped -14
// expect stdout supervisor -14
// expect stdout wrapping -14
// expect stdout read-only for writing -14
// system exec-touch
#include "efault_windows.c"
