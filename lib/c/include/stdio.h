/* The C library's, with what it lacks: lines of any length, text to descriptors, and commands. */
#ifndef PEBBLE_STDIO_H
#define PEBBLE_STDIO_H
#include_next <stdio.h>
#include <sys/types.h>
#ifndef FILENAME_MAX
#define FILENAME_MAX 64
#endif
#undef L_tmpnam
#undef P_tmpdir
#undef TMP_MAX
#define L_tmpnam 12
#define P_tmpdir "/tmp"
#define TMP_MAX 1000000
/* The library's are functions, which wait for the stream's lock. */
#undef getc
#undef getchar
#undef putc
#undef putchar
#ifdef __cplusplus
extern "C" {
#endif
ssize_t getdelim(char **line, size_t *size, int end, FILE *file);
ssize_t getline(char **line, size_t *size, FILE *file);
int dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vdprintf(int fd, const char *format, __gnuc_va_list arguments);
int getc(FILE *file);
int getchar(void);
int putc(int c, FILE *file);
int putchar(int c);
int getc_unlocked(FILE *file);
int getchar_unlocked(void);
int putc_unlocked(int c, FILE *file);
int putchar_unlocked(int c);
void flockfile(FILE *file);
int ftrylockfile(FILE *file);
void funlockfile(FILE *file);
FILE *open_memstream(char **bytes, size_t *size); /* bytes end with a zero; known after fflush and fclose */
int renameat(int old_fd, const char *old, int new_fd, const char *to);
FILE *popen(const char *command, const char *mode); /* a command of the component "sh" */
int pclose(FILE *file);
#ifdef __cplusplus
}
#endif
#endif
