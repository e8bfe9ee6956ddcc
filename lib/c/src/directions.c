/* A stream that is written though it is for reading, or read though it is for writing: an error of the stream, with a number. picolibc (as of
   1.8) answers the end of the file, and nothing else. The linker has calls of its functions come here first. */
#include "streams.h"

int __real_fgetc(FILE *file);
int __real_getc(FILE *file);
int __real_fputc(int c, FILE *file);
int __real_putc(int c, FILE *file);
int __real_fputs(const char *text, FILE *file);
size_t __real_fread(void *to, size_t size, size_t count, FILE *file);
size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *file);

int __wrap_fgetc(FILE *file)
{
    return __pebble_is_for(file, __SRD) ? __real_fgetc(file) : EOF;
}
int __wrap_getc(FILE *file)
{
    return __pebble_is_for(file, __SRD) ? __real_getc(file) : EOF;
}
int __wrap_fputc(int c, FILE *file)
{
    return __pebble_is_for(file, __SWR) ? __real_fputc(c, file) : EOF;
}
int __wrap_putc(int c, FILE *file)
{
    return __pebble_is_for(file, __SWR) ? __real_putc(c, file) : EOF;
}
int __wrap_fputs(const char *text, FILE *file)
{
    return __pebble_is_for(file, __SWR) ? __real_fputs(text, file) : EOF;
}
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    return __pebble_is_for(file, __SRD) ? __real_fread(to, size, count, file) : 0;
}
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    return __pebble_is_for(file, __SWR) ? __real_fwrite(from, size, count, file) : 0;
}
