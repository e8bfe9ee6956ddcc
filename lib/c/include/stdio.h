/* The C library's, with the lines of any length that it lacks. */
#ifndef PEBBLE_STDIO_H
#define PEBBLE_STDIO_H
#include_next <stdio.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
ssize_t getdelim(char **line, size_t *size, int end, FILE *file);
ssize_t getline(char **line, size_t *size, FILE *file);
#ifdef __cplusplus
}
#endif
#endif
