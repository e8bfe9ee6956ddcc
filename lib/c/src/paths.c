/* Operations on paths: a portal of the files component each, or of the disk component. */
#include "paths.h"
#include "console.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int __pebble_failed(word result)
{
    errno = result == -EACCESS ? EACCES : -result;
    return -1;
}

/* Their portals are opened at the first use. */
static const char *const names[MOUNTS][OPERATIONS] = {
    {PEBBLE_FILES_OPEN, PEBBLE_FILES_UNLINK, PEBBLE_FILES_RENAME, PEBBLE_FILES_MKDIR, PEBBLE_FILES_RMDIR, PEBBLE_FILES_STATUS,
     PEBBLE_FILES_STATUS},
    {PEBBLE_DISK_OPEN, PEBBLE_DISK_UNLINK, PEBBLE_DISK_RENAME, PEBBLE_DISK_MKDIR, PEBBLE_DISK_RMDIR, PEBBLE_DISK_STATUS,
     PEBBLE_DISK_LINK_STATUS, PEBBLE_DISK_READ_LINK, PEBBLE_DISK_MAKE_LINK},
};
static int portals[MOUNTS][OPERATIONS];

/* Where relative paths begin: empty, or a path that starts with a slash. */
static char here[NAMELEN];

/* An empty path leads nowhere, as POSIX has it. */
int __pebble_take(struct path *p, const char *path)
{
    if (!*path)
        return -ENOENT;
    if (*path == '/' || !*here)
        return copy_name(p->text, path) ? 0 : -ENAMETOOLONG;
    memset(p, 0, sizeof *p);
    return (size_t)snprintf(p->text, sizeof p->text, "%s/%s", here, path) < sizeof p->text ? 0 : -ENAMETOOLONG;
}
/* Who has a path, which is then as that one knows it. */
int __pebble_mount(struct path *p)
{
    const char *plain = p->text;
    while (*plain == '/')
        plain++;
    if (strncmp(plain, "disk", 4) != 0 || (plain[4] && plain[4] != '/'))
        return MEMORY;
    char rest[NAMELEN] = "/";
    if (plain[4])
        strcpy(rest, plain + 4);
    memset(p, 0, sizeof *p);
    strcpy(p->text, rest);
    return DISK;
}
/* Calls a portal on a path; once more, where its component has died and was started again. */
word __pebble_call(int who, int operation, const void *p, word argument, word more)
{
    return CALLED(portals[who][operation], names[who][operation], through, invoke_portal(through, p, argument, more));
}
int __pebble_with_path(int operation, const char *path, word argument)
{
    struct path p;
    word result = __pebble_take(&p, path);
    if (result == 0)
        result = __pebble_call(__pebble_mount(&p), operation, &p, argument, 0);
    return result < 0 ? __pebble_failed(result) : result;
}
/* Flags as the files component knows them. */
static word file_flags(int flags)
{
    return (flags & O_ACCMODE) | (flags & O_APPEND ? 0x0008 : 0) | (flags & O_CREAT ? 0x0200 : 0) |
           (flags & O_TRUNC ? 0x0400 : 0) | (flags & O_EXCL ? 0x0800 : 0) | (flags & O_DIRECTORY ? 0x1000 : 0) |
           (flags & O_NOFOLLOW ? 0x100000 : 0);
}
void (*__pebble_after_open)(int fd, const struct path *path);
/* Tells who wants to know. */
static int told(int fd, const char *path, int flags)
{
    struct path whole = {0}, p;
    if (fd >= 0 && __pebble_after_open && (flags & O_ACCMODE) == O_RDONLY && __pebble_take(&p, path) == 0 &&
        (size_t)snprintf(whole.text, sizeof whole.text, *p.text == '/' ? "%s" : "/%s", p.text) < sizeof whole.text)
        __pebble_after_open(fd, &whole);
    return fd;
}
int open(const char *path, int flags, ...)
{
    if (strcmp(path, "/dev/null") == 0)
        return __pebble_lowest(NOWHERE);
    int fd = __pebble_with_path(OPEN, path, file_flags(flags));
    /* Every program may count on /tmp, which is made when somebody makes the first file in it. */
    if (fd < 0 && errno == ENOENT && flags & O_CREAT && strncmp(path, "/tmp/", 5) == 0 &&
        (mkdir("/tmp", 0777) == 0 || errno == EEXIST))
        fd = __pebble_with_path(OPEN, path, file_flags(flags));
    return told(__pebble_lowest(fd), path, flags);
}
int unlink(const char *path)
{
    return __pebble_with_path(UNLINK, path, 0);
}
int mkdir(const char *path, mode_t mode)
{
    (void)mode;
    return __pebble_with_path(MKDIR, path, 0);
}
int rmdir(const char *path)
{
    return __pebble_with_path(RMDIR, path, 0);
}
int remove(const char *path)
{
    int result = unlink(path);
    return result < 0 && errno == EISDIR ? rmdir(path) : result;
}
int rename(const char *from, const char *to)
{
    struct path p, q;
    word result = __pebble_take(&p, from);
    if (result == 0)
        result = __pebble_take(&q, to);
    if (result == 0) {
        int who = __pebble_mount(&p);
        /* Only a copy would do that. */
        result = who == __pebble_mount(&q) ? __pebble_call(who, RENAME, &p, (word)&q, 0) : -EXDEV;
    }
    return result < 0 ? __pebble_failed(result) : 0;
}
int truncate(const char *path, off_t length)
{
    int fd = open(path, O_WRONLY);
    int result = fd < 0 ? fd : ftruncate(fd, length);
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return result;
}
/* Who may do what is said by the manifest, so each file may be read and written. */
static int fill(struct stat *to, const struct status *status)
{
    memset(to, 0, sizeof *to);
    to->st_ino = status->node & ~NODE_OF_DISK;
    to->st_dev = status->node & NODE_OF_DISK ? DEVICE_OF_DISK : 0;
    to->st_size = status->bytes;
    to->st_nlink = 1;
    to->st_blksize = PAGE;
    to->st_blocks = (status->bytes + S_BLKSIZE - 1) / S_BLKSIZE;
    switch (status->kind) {
    case KIND_FILE: to->st_mode = S_IFREG | 0666; break;
    case KIND_DIRECTORY: to->st_mode = S_IFDIR | 0777; break;
    /* The numbers of pipes, of sockets and of the console are not those of files, unless they are on the disk, too. */
    case KIND_PIPE: to->st_mode = S_IFIFO | 0600; to->st_dev = to->st_dev ? to->st_dev : 1; break;
    case KIND_SOCKET: to->st_mode = S_IFSOCK | 0600; to->st_dev = to->st_dev ? to->st_dev : 3; break;
    case KIND_LINK: to->st_mode = S_IFLNK | 0777; break;
    case KIND_CHARACTER_DEVICE: to->st_mode = S_IFCHR | 0600; break;
    case KIND_BLOCK_DEVICE: to->st_mode = S_IFBLK | 0600; break;
    default: to->st_mode = S_IFCHR | 0600; to->st_dev = 2; break;
    }
    return 0;
}
int stat(const char *restrict path, struct stat *restrict to)
{
    struct status status;
    int result = __pebble_with_path(STATUS_AT, path, (word)&status);
    return result < 0 ? result : fill(to, &status);
}
word __pebble_status(int fd, struct status *status)
{
    *status = (struct status){.kind = KIND_CONSOLE};
    int file = __pebble_behind(fd);
    if (file == NOWHERE || __pebble_is_console(file))
        return 0;
    word result = file < SYS_FIRST_FREE ? -EBADF : invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_STATUS, status);
    /* A number that is no descriptor leads nowhere, or to a portal that does something else. */
    if (result >= 0 && status->kind == KIND_CONSOLE)
        result = -EBADF;
    return result == -EPORTAL ? -EBADF : result;
}
int fstat(int fd, struct stat *to)
{
    struct status status;
    word result = __pebble_status(fd, &status);
    return result < 0 ? __pebble_failed(result) : fill(to, &status);
}
int lstat(const char *path, struct stat *to)
{
    struct status status;
    int result = __pebble_with_path(LINK_STATUS, path, (word)&status);
    char first = 0;
    if (result < 0)
        return result;
    fill(to, &status);
    /* As long as the path that readlink says. */
    if (S_ISLNK(to->st_mode) && readlink(path, &first, 1) == 1 && first == '/')
        to->st_size += sizeof DISK_ROOT - 1;
    return 0;
}
int creat(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
int chdir(const char *path)
{
    struct path p;
    struct stat status;
    int result = stat(path, &status);
    if (result < 0)
        return result;
    if (!S_ISDIR(status.st_mode))
        return __pebble_failed(-ENOTDIR);
    /* The path without links, as getcwd is to say it; where that is too long, the other one. */
    char whole[LONGEST_PATH];
    if (!realpath(path, whole) || __pebble_take(&p, whole) < 0)
        result = __pebble_take(&p, path);
    if (result < 0)
        return __pebble_failed(result);
    /* The root is "/", and no other path ends with a slash. */
    size_t length = strlen(p.text);
    while (length > 0 && p.text[length - 1] == '/')
        p.text[--length] = 0;
    if (length > 0 && *p.text != '/' && length + 1 >= sizeof here)
        return __pebble_failed(-ENAMETOOLONG);
    char slash = length > 0 && *p.text != '/';
    here[0] = '/';
    memcpy(here + slash, p.text, length + 1);
    return 0;
}
char *getcwd(char *buffer, size_t size)
{
    const char *path = *here ? here : "/";
    if (!buffer && size == 0)
        return strdup(path);
    if (size <= strlen(path)) {
        errno = size ? ERANGE : EINVAL;
        return NULL;
    }
    return buffer ? strcpy(buffer, path) : strdup(path);
}
/* Files are not executed. */
int access(const char *path, int mode)
{
    struct stat status;
    int result = stat(path, &status);
    return result == 0 && mode & X_OK && !S_ISDIR(status.st_mode) ? __pebble_failed(-EACCES) : result;
}
/* The console is a terminal, unless it says that nobody types there. */
int isatty(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return 0;
    errno = ENOTTY;
    if (!S_ISCHR(status.st_mode) || __pebble_behind(fd) == NOWHERE)
        return 0;
    /* No bytes are asked for, in the way in which keys are taken anyway: nothing changes. */
    char page;
    return __pebble_console(__pebble_raw ? CONSOLE_RAW : CONSOLE_READ, (word)&page, 0) != 1;
}
