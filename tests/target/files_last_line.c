// expect stdout 4 one
// expect stdout 3 two
// expect stdout then the end
/* fgets gives the last line of a file that does not end in a newline. */
#include <pebble.h>

int main(void)
{
    char line[80];
    FILE *file = fopen("a", "w");
    fputs("one\ntwo", file);
    fclose(file);
    file = fopen("a", "r");
    while (fgets(line, sizeof line, file))
        printf("%d %s", (int)strlen(line), line);
    printf("\nthen the end\n");
    return 0;
}
