/* What the parts of the C library that know files share. A descriptor is the number of the first of four consecutive portals. */
#ifndef PEBBLE_FILES_H
#define PEBBLE_FILES_H

#include "system.h"

/* Descriptors below all portals that can be opened: of /dev/null, of the console's streams where they were duplicated (three), and what a standard
   stream leads to that is closed. */
#define NOWHERE 3
#define CONSOLE (SYS_FIRST_FREE - 3)
#define CLOSED (CONSOLE - 1)

/* st_dev of what is on a disk; of files in memory it is 0. */
#define DEVICE_OF_DISK 4

/* Bytes that a pipe holds. */
#define PIPE_BYTES 4096

/* Closes the four portals from `file` on; what the first of them says. */
int __pebble_close(int file);
/* Called before a descriptor of a file is closed, if it is not NULL: who has locked ranges of the file by any descriptor has them no more. */
extern void (*__pebble_before_close)(int fd);
/* What a descriptor leads to: a file's first portal, NOWHERE, CONSOLE and the number of the stream, or else (CLOSED, less than 0): nothing. */
int __pebble_behind(int fd);
static inline int __pebble_is_console(int file)
{
    return file >= CONSOLE && file < CONSOLE + 3;
}
/* The descriptor of what was opened: the lowest of the standard ones that are closed, as POSIX has it, or the number itself. */
int __pebble_lowest(int file);
/* What the control portal of a descriptor says that it is; < 0: an error. The console is KIND_CONSOLE. */
word __pebble_status(int fd, struct status *status);
/* Pages of memory that there are (0), or that are free (1); < 0: an error, where the manifest does not let this component open memory.info. */
word __pebble_memory(int which);
/* Keys of the console are taken as they come. */
extern int __pebble_raw;
/* -1, and the error of a portal in errno. */
int __pebble_failed(word result);
#endif
