/* Standard input, output and error as streams of the C library. */
#include "streams.h"
#include <unistd.h>

static char out_buffer[2048] __attribute__((aligned(2048)));
static char error_buffer[1];
static struct __file_bufio in = FDEV_SETUP_BUFIO(0, NULL, 0, read, write, lseek, close, __SRD, 0);
static struct __file_bufio out = FDEV_SETUP_BUFIO(1, out_buffer, sizeof out_buffer, read, write, lseek, close, __SWR, __BLBF);
static struct __file_bufio error = FDEV_SETUP_BUFIO(2, error_buffer, sizeof error_buffer, read, write, lseek, close, __SWR, 0);

FILE *const stdin = &in.xfile.cfile.file;
FILE *const stdout = &out.xfile.cfile.file;
FILE *const stderr = &error.xfile.cfile.file;

__attribute__((constructor(101))) static void make_locks(void)
{
    __bufio_lock_init(stdin);
    __bufio_lock_init(stdout);
    __bufio_lock_init(stderr);
}
