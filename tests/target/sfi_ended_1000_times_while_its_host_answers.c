// isolation sfi
// host hosts
// timeout 120
// icount
// arguments runaways 1000
// expect stdout ended and laid out 1000 times, and every request was answered
/* Code that loops, recurses, writes wherever it can or returns to places of its choice: the host has it in machine code. */
int main(void) { return 0; }
