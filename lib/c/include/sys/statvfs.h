/* What there is room for where a file lies (POSIX). */
#ifndef PEBBLE_SYS_STATVFS_H
#define PEBBLE_SYS_STATVFS_H

#include <sys/types.h>

struct statvfs {
    /* Bytes of a block. */
    unsigned long f_bsize, f_frsize;
    /* Blocks in all, and those that are free. */
    fsblkcnt_t f_blocks, f_bfree, f_bavail;
    /* Files: not counted. */
    fsfilcnt_t f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};
enum { ST_RDONLY = 1, ST_NOSUID = 2 };

#ifdef __cplusplus
extern "C" {
#endif
/* Of a path, whose file has to be there. EACCES: of memory, where the manifest does not let this component open memory.info. */
int statvfs(const char *__restrict path, struct statvfs *__restrict to);
int fstatvfs(int fd, struct statvfs *to);
#ifdef __cplusplus
}
#endif
#endif
