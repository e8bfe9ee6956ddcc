// isolation sfi
// host hosts
// arguments entered top
// expect stdout registers with what is the host's: 0
/* What a fault domain finds in registers where a host in Rust calls it, in the last GiB. */
int main(void) { return 0; }
