// isolation sfi
// host hosts
// timeout 120
// icount
// arguments runaways 1000 top
// expect stdout ended and laid out 1000 times, and every request was answered
/* The runaways in the last GiB of their space: what they make of an address is theirs, the supervisor's, or no address at all. */
int main(void) { return 0; }
