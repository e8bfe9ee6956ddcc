/* The C library's, with what it lacks: lines of any length, text to descriptors, and commands. */
#ifndef PEBBLE_STDIO_H
#define PEBBLE_STDIO_H
#include_next <stdio.h>
#include <sys/types.h>
#ifndef FILENAME_MAX
#define FILENAME_MAX 64
#endif
#ifdef __cplusplus
extern "C" {
#endif
ssize_t getdelim(char **line, size_t *size, int end, FILE *file);
ssize_t getline(char **line, size_t *size, FILE *file);
int dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vdprintf(int fd, const char *format, __gnuc_va_list arguments);
FILE *popen(const char *command, const char *mode); /* a command of the component "sh" */
int pclose(FILE *file);
#ifdef __cplusplus
}
#endif
#endif
