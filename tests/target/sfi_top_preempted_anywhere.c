// isolation sfi
// host hosts
// on strict
// slices 5
// timeout 120
// arguments runaways 45 unhurried top
// expect stdout ended and laid out 45 times, and every request was answered
/* "sfi_preempted_anywhere" in the last GiB of its space. */
int main(void) { return 0; }
