/* What the parts of the C library that map memory share. */
#ifndef PEBBLE_FILE_MAPPINGS_H
#define PEBBLE_FILE_MAPPINGS_H

#include "files.h"

/* Maps `bytes` of a file, from `offset` on, privately; NULL: errno says why not. */
void *__pebble_map_file(size_t bytes, int protection, int fd, off_t offset);
/* Whether there is such a mapping of a file, which is then gone; < 0: EBUSY, another thread's call shows a page of it. */
int __pebble_unmap_file(void *start, size_t bytes);
#endif
