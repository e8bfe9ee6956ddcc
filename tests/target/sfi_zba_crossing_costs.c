// isolation sfi
// host hosts
// icount
// arguments crossing zba
// expect stdout a C call: 2
// expect stdout a software portal, nothing to save: 20
// expect stdout a software portal, all integer registers: 44
// expect stdout a software portal, floating-point ones too: 70
/* What a call into a fault domain and back takes where there are no masks. */
int main(void) { return 0; }
