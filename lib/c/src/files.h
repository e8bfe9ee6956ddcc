/* What the parts of the C library that know files share: lib/abi/src/file.rs in C. */
#ifndef PEBBLE_FILES_H
#define PEBBLE_FILES_H

#include "system.h"

/* A descriptor is the number of the first of four consecutive portals. */
enum { READ, WRITE, SEEK, CONTROL, PORTALS };
/* Operations of the control portal. */
enum { DUPLICATE = 1, STATUS, NEXT, TRUNCATE, SYNC, REOPEN = 7 };
/* Kinds of what a descriptor or a path leads to. */
enum { KIND_CONSOLE, KIND_FILE, KIND_DIRECTORY, KIND_PIPE, KIND_SOCKET };
/* The bit that numbers of the disk's nodes have. */
#define NODE_OF_DISK (1ul << 62)

/* The descriptor of /dev/null, below all portals that can be opened. */
#define NOWHERE 3

/* What `version` says of a pipe: the sides that nobody has any more; and the bytes that one holds. */
enum { NO_READERS = 1, NO_WRITERS = 2, PIPE_BYTES = 4096 };

struct status {
    uint64_t kind, bytes, node, version;
} __attribute__((aligned(32)));
struct entry {
    struct status status;
    char name[NAMELEN];
} __attribute__((aligned(128)));

/* What a descriptor leads to: a file's first portal, NOWHERE, or < 0: the console. */
int __pebble_behind(int fd);
/* What the control portal of a descriptor says that it is; < 0: an error. The console is KIND_CONSOLE. */
word __pebble_status(int fd, struct status *status);
/* Keys of the console are taken as they come. */
extern int __pebble_raw;
/* -1, and the error of a portal in errno. */
int __pebble_failed(word result);
#endif
