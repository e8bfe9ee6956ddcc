// isolation sfi
// host hosts
// timeout 120
// icount
// arguments runaways 1000 zba
// expect stdout ended and laid out 1000 times, and every request was answered
/* The runaways in a segment of 4 GiB, brought in by add.uw: most of it is not mapped, and the host's stubs lie before it. */
int main(void) { return 0; }
