/* Memory of one's own: anonymous mappings, which are readable and writable. */
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
    /* ENODEV: of a file; ENOTSUP: shared, at a fixed address, or executable */
int munmap(void *start, size_t bytes); /* of a whole mapping; EINVAL: of a part of one */
#ifdef __cplusplus
}
#endif
#endif
