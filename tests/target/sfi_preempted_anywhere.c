// isolation sfi
// host hosts
// on strict
// slices 5
// timeout 120
// arguments runaways 45 unhurried
// expect stdout ended and laid out 45 times, and every request was answered
/* Time slices of every length: threads lose the processor between the check of an address and the store through it, between a jump and the stub that it
   leads to, and in the stubs; what the dedicated registers have is there again. The machine code is the host's. */
int main(void) { return 0; }
