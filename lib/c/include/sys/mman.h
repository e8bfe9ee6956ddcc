/* Memory of one's own: anonymous mappings, which are readable and writable, and private ones of files. */
#ifndef PEBBLE_SYS_MMAN_H
#define PEBBLE_SYS_MMAN_H
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
#define PROT_NONE  0
#define PROT_READ  1
#define PROT_WRITE 2
#define PROT_EXEC  4
#define MAP_SHARED    1
#define MAP_PRIVATE   2
#define MAP_FIXED     0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON      MAP_ANONYMOUS
#define MAP_FAILED    ((void *)-1)
void *mmap(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset);
    /* A file's pages are read when they are touched. ENODEV: it is no file; EACCES: it is not open for reading; EINVAL: the offset is not
       a page's; ENOMEM: 112 MiB of files are mapped; ENFILE: a limit (files, pagers); ENOTSUP: shared, at a fixed address, executable */
int munmap(void *start, size_t bytes); /* of a whole mapping; EINVAL: of a part of one; EBUSY: another thread's call shows a page of it */
#ifdef __cplusplus
}
#endif
#endif
