/* Directories as streams of names: each is read by the control portal of a descriptor. */
#include "files.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct pebble_directory {
    int fd;
    struct dirent entry;
};

DIR *fdopendir(int fd)
{
    struct stat status;
    DIR *directory;
    if (fstat(fd, &status) < 0)
        return NULL;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    if ((directory = malloc(sizeof *directory)))
        directory->fd = fd;
    return directory;
}
DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !directory)
        close(fd);
    return directory;
}
static unsigned char kind(word kind)
{
    switch (kind) {
    case KIND_FILE: return DT_REG;
    case KIND_DIRECTORY: return DT_DIR;
    case KIND_PIPE: return DT_FIFO;
    case KIND_SOCKET: return DT_SOCK;
    case KIND_LINK: return DT_LNK;
    case KIND_CHARACTER_DEVICE: return DT_CHR;
    case KIND_BLOCK_DEVICE: return DT_BLK;
    default: return DT_UNKNOWN;
    }
}
struct dirent *readdir(DIR *directory)
{
    struct entry entry;
    word result = invoke_portal(__pebble_behind(directory->fd) + PORTAL_CONTROL, (word)CONTROL_NEXT, &entry);
    if (result < 0)
        __pebble_failed(result == -EPORTAL ? -EBADF : result);
    if (result <= 0)
        return NULL;
    directory->entry.d_ino = entry.status.node;
    directory->entry.d_type = kind(entry.status.kind);
    memcpy(directory->entry.d_name, entry.name, sizeof entry.name);
    return &directory->entry;
}
void rewinddir(DIR *directory)
{
    lseek(directory->fd, 0, SEEK_SET);
}
int dirfd(DIR *directory)
{
    return directory->fd;
}
int closedir(DIR *directory)
{
    int result = close(directory->fd);
    free(directory);
    return result;
}
