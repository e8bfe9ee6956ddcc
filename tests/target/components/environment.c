/* Prints a variable of its environment, and the arguments behind its name. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const char *value = argc > 1 ? getenv(argv[1]) : NULL;
    printf("%s\n", value ? value : "(not set)");
    for (int n = 2; n < argc; n++)
        printf("argument \"%s\"\n", argv[n]);
    return value ? 0 : 1;
}
