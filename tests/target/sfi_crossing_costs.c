// isolation sfi
// host hosts
// icount
// arguments crossing
// expect stdout a C call: 2
// expect stdout a software portal, nothing to save: 22
// expect stdout a software portal, all integer registers: 46
// expect stdout a software portal, floating-point ones too: 72
/* What a call into a fault domain and back takes, in instructions; the host has its own code for it. */
int main(void) { return 0; }
