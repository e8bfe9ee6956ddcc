/* Says what it was started with, copies its input in capital letters, and ends with the status that its second argument is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    fprintf(stderr, "started:");
    for (int n = 1; n < argc; n++)
        fprintf(stderr, " [%s]", argv[n]);
    fprintf(stderr, " COLOUR=%s\n", getenv("COLOUR") ? getenv("COLOUR") : "");
    for (int c; argc > 2 && (c = getchar()) != EOF;)
        putchar(toupper(c));
    return argc > 2 ? atoi(argv[2]) : 0;
}
