/* What greet.c has. */
void greet(const char *whom);
