// expect stdout the call ended with the other side died
// expect stdout and the next one with the other side died
// expect stderr store page fault at address 0x8
// system exec-touch
#include "edead_server_dies_in_the_call.c"
