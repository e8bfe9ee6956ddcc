/* Another program's, which component.toml leaves out. */
int main(void) { return 9; }
