/* What the parts of the C library that know paths share. */
#ifndef PEBBLE_PATHS_H
#define PEBBLE_PATHS_H

#include "files.h"

/* Who has files: what lies below /disk is the disk component's, all else is in memory. */
enum { MEMORY, DISK, MOUNTS };
/* Where the disk's root is. */
#define DISK_ROOT "/disk"
/* The operations on paths; the last two are the disk's. */
enum { OPEN, UNLINK, RENAME, MKDIR, RMDIR, STATUS_AT, LINK_STATUS, READ_LINK, MAKE_LINK, OPERATIONS };

/* Bytes of the longest path of a link that is told of, and of those that links lead to, with the zero behind it. */
enum { LONGEST_PATH = 1024 };

/* A path where a window shows all of it. */
struct path {
    char text[NAMELEN];
} __attribute__((aligned(64)));

/* The path from the root on; < 0: an error. */
int __pebble_take(struct path *p, const char *path);
/* Who has a path, which is then as that one knows it. */
int __pebble_mount(struct path *p);
/* Called when a path has been opened for reading alone, which begins with a slash, if it is not NULL: set by who wants to know directories' paths. */
extern void (*__pebble_after_open)(int fd, const struct path *path);
/* Calls a portal on a path and up to two more words; once more, where its component has died and was started again. */
word __pebble_call(int who, int operation, const void *p, word argument, word more);
/* The same for a path of whoever has it; -1, and the error in errno. */
int __pebble_with_path(int operation, const char *path, word argument);
#endif
