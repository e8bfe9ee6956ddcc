/* Paths that match a pattern: POSIX's part of it. picolibc's header lacks what POSIX names its errors, and its library the function. */
#ifndef PEBBLE_GLOB_H
#define PEBBLE_GLOB_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t gl_pathc; /* paths found, without the places that gl_offs reserves */
    char **gl_pathv; /* those places, the paths, NULL */
    size_t gl_offs;
} glob_t;

#define GLOB_APPEND 0x01   /* to what was found before */
#define GLOB_DOOFFS 0x02   /* gl_offs counts */
#define GLOB_ERR 0x04      /* a folder that can not be read ends it */
#define GLOB_MARK 0x08     /* a slash behind folders */
#define GLOB_NOCHECK 0x10  /* the pattern itself where nothing matches */
#define GLOB_NOSORT 0x20   /* as they are found */
#define GLOB_NOESCAPE 0x40 /* a backslash is one */

#define GLOB_NOSPACE 1
#define GLOB_ABORTED 2 /* a folder could not be read, and GLOB_ERR was given or the function returned something else than 0 */
#define GLOB_NOMATCH 3

int glob(const char *__restrict pattern, int flags, int (*failed)(const char *path, int error), glob_t *__restrict found);
void globfree(glob_t *found);

#ifdef __cplusplus
}
#endif
#endif
