/* Paths that begin at a directory which is open. A descriptor knows no path, so that of each directory is kept when it is opened, in programs that have one of
   these functions; it counts as long as the same directory is there. */
#include "paths.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct known {
    struct known *next;
    struct path path;
    ino_t node;
    dev_t device;
    int fd;
};
static struct known *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of what has been opened for reading: if it is a directory its path is kept, in the place of that which the number had before. */
static void opened(int fd, const struct path *path)
{
    struct stat of;
    int error = errno;
    if (fstat(fd, &of) == 0 && S_ISDIR(of.st_mode)) {
        pthread_mutex_lock(&lock);
        struct known *place = all;
        while (place && place->fd != fd)
            place = place->next;
        /* Aligned as a path is, for a window shows it. Without memory it is not known. */
        if (!place && (place = aligned_alloc(_Alignof(struct known), sizeof *place))) {
            place->next = all;
            all = place;
        }
        if (place) {
            place->fd = fd;
            place->path = *path;
            place->node = of.st_ino;
            place->device = of.st_dev;
        }
        pthread_mutex_unlock(&lock);
    }
    errno = error;
}
static __attribute__((constructor)) void begin(void)
{
    __pebble_after_open = opened;
}
/* The path of an open directory; < 0: an error. ENOTDIR: it is none; ENOENT: it has another path by now, or none; ENOTSUP: it was not opened by a path. */
static word directory(int fd, struct path *path)
{
    struct stat of, there;
    if (fstat(fd, &of) < 0)
        return -errno;
    if (!S_ISDIR(of.st_mode))
        return -ENOTDIR;
    word result = -ENOTSUP;
    pthread_mutex_lock(&lock);
    for (struct known *place = all; place; place = place->next)
        if (place->fd == fd && place->node == of.st_ino && place->device == of.st_dev) {
            *path = place->path;
            result = 0;
        }
    pthread_mutex_unlock(&lock);
    if (result == 0 && (stat(path->text, &there) < 0 || there.st_ino != of.st_ino || there.st_dev != of.st_dev))
        result = -ENOENT;
    return result;
}
/* A path that begins at an open directory, or where relative ones do. */
static word from(int fd, const char *path, char whole[NAMELEN])
{
    struct path start;
    if (fd == AT_FDCWD || *path == '/')
        return copy_name(whole, path) ? 0 : -ENAMETOOLONG;
    if (!*path)
        return -ENOENT;
    word result = directory(fd, &start);
    if (result < 0)
        return result;
    size_t length = strlen(start.text);
    while (length > 0 && start.text[length - 1] == '/')
        start.text[--length] = 0;
    return snprintf(whole, NAMELEN, "%s/%s", start.text, path) < NAMELEN ? 0 : -ENAMETOOLONG;
}
/* Defines a local `whole`, the path; where there is none the function that this stands in fails. */
#define WHOLE(whole, fd, path)                   \
    char whole[NAMELEN];                         \
    do {                                         \
        word result_ = from(fd, path, whole);    \
        if (result_ < 0)                         \
            return __pebble_failed(result_);     \
    } while (0)

int openat(int fd, const char *path, int flags, ...)
{
    WHOLE(whole, fd, path);
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return open(whole, flags, mode);
}
int fstatat(int fd, const char *restrict path, struct stat *restrict to, int flags)
{
    if (!*path && flags & AT_EMPTY_PATH)
        return fd == AT_FDCWD ? stat(".", to) : fstat(fd, to);
    WHOLE(whole, fd, path);
    return flags & AT_SYMLINK_NOFOLLOW ? lstat(whole, to) : stat(whole, to);
}
int faccessat(int fd, const char *path, int mode, int flags)
{
    (void)flags;
    WHOLE(whole, fd, path);
    return access(whole, mode);
}
int mkdirat(int fd, const char *path, mode_t mode)
{
    WHOLE(whole, fd, path);
    return mkdir(whole, mode);
}
int unlinkat(int fd, const char *path, int flags)
{
    WHOLE(whole, fd, path);
    return flags & AT_REMOVEDIR ? rmdir(whole) : unlink(whole);
}
int renameat(int old_fd, const char *old, int new_fd, const char *new)
{
    WHOLE(before, old_fd, old);
    WHOLE(behind, new_fd, new);
    return rename(before, behind);
}
ssize_t readlinkat(int fd, const char *restrict path, char *restrict to, size_t size)
{
    WHOLE(whole, fd, path);
    return readlink(whole, to, size);
}
int symlinkat(const char *target, int fd, const char *path)
{
    WHOLE(whole, fd, path);
    return symlink(target, whole);
}
int linkat(int old_fd, const char *old, int new_fd, const char *new, int flags)
{
    (void)flags;
    WHOLE(before, old_fd, old);
    WHOLE(behind, new_fd, new);
    return link(before, behind);
}
/* There are no rights and no times of a file to be changed, but it has to be there. */
static int there(int fd, const char *path, int flags)
{
    struct stat of;
    return fstatat(fd, path, &of, flags & AT_SYMLINK_NOFOLLOW);
}
int fchmodat(int fd, const char *path, mode_t mode, int flags)
{
    (void)mode;
    return there(fd, path, flags);
}
int fchownat(int fd, const char *path, uid_t user, gid_t group, int flags)
{
    (void)user, (void)group;
    return there(fd, path, flags);
}
int utimensat(int fd, const char *path, const struct timespec times[2], int flags)
{
    (void)times;
    return there(fd, path, flags);
}
int fchdir(int fd)
{
    struct path path;
    word result = directory(fd, &path);
    return result < 0 ? __pebble_failed(result) : chdir(path.text);
}
