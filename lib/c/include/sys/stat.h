/* The C library's, with lstat. */
#ifndef PEBBLE_SYS_STAT_H
#define PEBBLE_SYS_STAT_H
#include_next <sys/stat.h>
#ifdef __cplusplus
extern "C" {
#endif
int lstat(const char *path, struct stat *to);
#ifdef __cplusplus
}
#endif
#endif
