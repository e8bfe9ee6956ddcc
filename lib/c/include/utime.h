/* The C library's, which needs <sys/types.h> before it. */
#ifndef PEBBLE_UTIME_H
#define PEBBLE_UTIME_H
#include <sys/types.h>
#include_next <utime.h>
#ifdef __cplusplus
extern "C" {
#endif
int utime(const char *path, const struct utimbuf *times); /* files have no times */
#ifdef __cplusplus
}
#endif
#endif
