/* The library's part. */
int three(void) { return 3; }
