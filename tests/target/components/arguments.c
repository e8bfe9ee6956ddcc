/* Writes its arguments to a file and out of it, a line each; its status is how many they are. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file = fopen("t", "w+");
    int byte;
    for (int n = 1; n < argc; n++)
        fprintf(file, "%s\n", argv[n]);
    rewind(file);
    while ((byte = getc(file)) != EOF)
        putchar(byte);
    return argc - 1;
}
