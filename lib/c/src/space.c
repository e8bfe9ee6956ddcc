/* How much room there is: for files, and of memory. */
#include "files.h"
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ALL, FREE };

/* Pages of the machine's memory, which files in memory lie in; < 0: an error. */
word __pebble_memory(int which)
{
    int through = portal_open(PEBBLE_MEMORY_INFO);
    if (through < 0)
        return through;
    word pages = pebble_memory_info(through, which, 0);
    portal_close(through);
    return pages;
}
/* Pages that a disk has room for. */
static word of_disk(int which)
{
    int through = portal_open(PEBBLE_DISK_SPACE);
    if (through < 0)
        return through;
    word kib = pebble_disk_space(through, which);
    portal_close(through);
    return kib < 0 ? kib : kib / (word)(PAGE / 1024);
}
static int fill(struct statvfs *to, const struct stat *of)
{
    int disk = of->st_dev == DEVICE_OF_DISK;
    word (*room)(int) = disk ? of_disk : __pebble_memory;
    word all = room(ALL), free = all < 0 ? all : room(FREE);
    if (free < 0)
        return __pebble_failed(free);
    *to = (struct statvfs){.f_bsize = PAGE, .f_frsize = PAGE, .f_blocks = all, .f_bfree = free, .f_bavail = free};
    to->f_fsid = of->st_dev;
    to->f_namemax = NAMELEN - 1;
    return 0;
}
int statvfs(const char *restrict path, struct statvfs *restrict to)
{
    struct stat of;
    return stat(path, &of) < 0 ? -1 : fill(to, &of);
}
int fstatvfs(int fd, struct statvfs *to)
{
    struct stat of;
    return fstat(fd, &of) < 0 ? -1 : fill(to, &of);
}
