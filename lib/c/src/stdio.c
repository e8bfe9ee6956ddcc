/* Standard input, output and error as streams of the C library. */
#include "system.h"
#include <stdio-bufio.h>
#include <unistd.h>

static char in_buffer[512], out_buffer[2048];
static struct __file_bufio in =
    FDEV_SETUP_BUFIO(0, in_buffer, sizeof in_buffer, read, write, lseek, close, __SRD, 0);
static struct __file_bufio out =
    FDEV_SETUP_BUFIO(1, out_buffer, sizeof out_buffer, read, write, lseek, close, __SWR, __BLBF);
static char error_buffer[1];
static struct __file_bufio error =
    FDEV_SETUP_BUFIO(2, error_buffer, 0, read, write, lseek, close, __SWR, 0);

FILE *const stdin = &in.xfile.cfile.file;
FILE *const stdout = &out.xfile.cfile.file;
FILE *const stderr = &error.xfile.cfile.file;

/* They are nobody's to free, which is what closing others ends with (picolibc, as of 1.8). */
static int close_standard(FILE *file)
{
    int flushed = fflush(file), closed = close(((struct __file_bufio *)file)->fd);
    return flushed || closed ? EOF : 0;
}
__attribute__((constructor(101))) static void make_locks(void)
{
    in.xfile.cfile.close = out.xfile.cfile.close = error.xfile.cfile.close = close_standard;
    __bufio_lock_init(stdin);
    __bufio_lock_init(stdout);
    __bufio_lock_init(stderr);
}

/* picolibc's, as of 1.8, answers NULL where the file ends without a newline, and the last line is lost. This one goes when
   Debian's gives that line. */
char *fgets(char *line, int size, FILE *file)
{
    int n = 0, c = 0;
    while (n < size - 1 && c != '\n' && (c = getc(file)) != EOF)
        line[n++] = c;
    if (size <= 0 || (n == 0 && c == EOF) || (c == EOF && ferror(file)))
        return NULL;
    line[n] = 0;
    return line;
}
