// isolation sfi
// host hosts
// arguments entered zba
// expect stdout registers with what is the host's: 0
/* What a fault domain finds in registers where a host in Rust calls it, in the form with Zba. */
int main(void) { return 0; }
