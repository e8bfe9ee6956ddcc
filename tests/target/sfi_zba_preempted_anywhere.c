// isolation sfi
// host hosts
// on strict
// slices 5
// timeout 120
// arguments runaways 45 unhurried zba
// expect stdout ended and laid out 45 times, and every request was answered
/* "sfi_preempted_anywhere" in a segment of 4 GiB. */
int main(void) { return 0; }
