// expect stdout all are errors, and the files are as they were
/* A stream for writing that is read, and one for reading that is written: an error of the stream with a number, not the end of the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void is_error(FILE *file, const char *what, int refused)
{
    if (!refused || !ferror(file) || feof(file) || errno != EBADF)
        failures++, printf("%s: %d, error %d, end %d, errno %d\n", what, refused, ferror(file), feof(file), errno);
    clearerr(file);
    errno = 0;
}
int main(void)
{
    char buffer[8];
    FILE *file = fopen("file", "w");
    fputs("ab", file);
    is_error(file, "fgetc", fgetc(file) == EOF);
    is_error(file, "getc", getc(file) == EOF);
    is_error(file, "fread", fread(buffer, 1, sizeof buffer, file) == 0);
    is_error(file, "fgets", fgets(buffer, sizeof buffer, file) == NULL);
    fputs("cd", file);
    fclose(file);
    file = fopen("file", "r");
    is_error(file, "fputc", fputc('x', file) == EOF);
    is_error(file, "putc", putc('x', file) == EOF);
    is_error(file, "fputs", fputs("x", file) == EOF);
    is_error(file, "fwrite", fwrite("x", 1, 1, file) == 0);
    is_error(file, "fprintf", fprintf(file, "x") < 0);
    if (fread(buffer, 1, sizeof buffer, file) != 4 || memcmp(buffer, "abcd", 4) || !feof(file) || ferror(file))
        failures++, puts("the file is not as it was");
    fclose(file);
    is_error(stdin, "standard input", putc('x', stdin) == EOF);
    if (!failures)
        puts("all are errors, and the files are as they were");
    return failures;
}
