/* Standard input, output and error on the console's portals. */
#include "system.h"
#include <stdio-bufio.h>
#include <fcntl.h>
#include <unistd.h>

/* A descriptor is the number of the first of four consecutive portals: read, write, seek, control. 0, 1 and 2 are the console,
   or what dup2 has put in their place. */
enum { READ, WRITE, SEEK, CONTROL, PORTALS };
static int standard[3];

/* Portals that are opened at the first use; < 0: why they could not be. */
static int console_write, console_read, files_open, files_pipe, files_unlink;

static int opened(int *portal, const char *name)
{
    if (*portal == 0)
        *portal = portal_open(name);
    return *portal;
}
/* The error of a portal as the C library's: -1 and errno. A number that leads nowhere is no descriptor. */
static ssize_t failed(word result)
{
    errno = result == -EPORTAL ? EBADF : -result;
    return -1;
}
/* Bytes of `count` that lie in the first page. */
static size_t in_page(const void *buffer, size_t count)
{
    size_t room = PAGE - (uintptr_t)buffer % PAGE;
    return count < room ? count : room;
}
/* What a descriptor leads to: a file's first portal, or < 0: the console. */
static int behind(int fd)
{
    return fd >= 0 && fd <= 2 ? (standard[fd] ? standard[fd] : -1) : fd;
}
/* The portal that writes to, or reads from, a descriptor. */
static int portal_of(int fd, int which)
{
    int file = behind(fd);
    if (file >= SYS_FIRST_FREE)
        return file + which;
    if (file >= 0 || fd < 0 || (which == READ) != (fd == 0))
        return -EBADF;
    return which == READ ? opened(&console_read, "console.read") : opened(&console_write, "console.write");
}
ssize_t write(int fd, const void *buffer, size_t count)
{
    int portal = portal_of(fd, WRITE);
    if (portal < 0)
        return failed(portal);
    for (size_t done = 0; done < count;) {
        const char *from = (const char *)buffer + done;
        word result = invoke_portal(portal, from, in_page(from, count - done));
        if (result < 0)
            return done ? (ssize_t)done : failed(result);
        done += result;
    }
    return count;
}
ssize_t read(int fd, void *buffer, size_t count)
{
    int portal = portal_of(fd, READ);
    if (portal < 0)
        return failed(portal);
    size_t here = in_page(buffer, count);
    word done = invoke_portal(portal, buffer, here);
    if (done < 0)
        return failed(done);
    /* More of a pipe or the console may have to be waited for, even where it filled the page. */
    if ((size_t)done < here || here == count || behind(fd) < 0 || invoke_portal(behind(fd) + SEEK, 0l, (word)SEEK_CUR) < 0)
        return done;
    while ((size_t)done < count) {
        char *to = (char *)buffer + done;
        here = in_page(to, count - done);
        word result = invoke_portal(portal, to, here);
        /* An error comes again with the next call. */
        if (result < 0)
            break;
        done += result;
        if ((size_t)result < here)
            break;
    }
    return done;
}
off_t lseek(int fd, off_t offset, int whence)
{
    int file = behind(fd);
    if (file < SYS_FIRST_FREE)
        return failed(file < 0 && fd >= 0 ? -ESPIPE : -EBADF);
    word result = invoke_portal(file + SEEK, offset, (word)whence);
    return result < 0 ? failed(result) : result;
}
int close(int fd)
{
    int file = behind(fd);
    if (fd >= 0 && fd <= 2) {
        standard[fd] = 0;
        /* The descriptor that dup2 made; it belongs to the number alone. */
        if (file < 0)
            return 0;
    }
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    int result = portal_close(file);
    for (int which = WRITE; which < PORTALS; which++)
        portal_close(file + which);
    return result < 0 ? failed(result) : 0;
}
/* A path where a window shows all of it. */
struct path {
    char text[NAMELEN];
} __attribute__((aligned(64)));

/* Flags as the files component knows them (lib/abi/src/file.rs). */
static word file_flags(int flags)
{
    return (flags & O_ACCMODE) | (flags & O_APPEND ? 0x0008 : 0) | (flags & O_CREAT ? 0x0200 : 0) |
           (flags & O_TRUNC ? 0x0400 : 0) | (flags & O_EXCL ? 0x0800 : 0);
}
int open(const char *path, int flags, ...)
{
    struct path p;
    int portal = opened(&files_open, "files.open");
    if (portal < 0)
        return failed(portal == -EACCESS ? -EACCES : portal);
    if (!copy_name(p.text, path))
        return failed(-ENAMETOOLONG);
    word result = invoke_portal(portal, &p, file_flags(flags));
    return result < 0 ? failed(result) : result;
}
int unlink(const char *path)
{
    struct path p;
    int portal = opened(&files_unlink, "files.unlink");
    if (portal < 0)
        return failed(portal == -EACCESS ? -EACCES : portal);
    if (!copy_name(p.text, path))
        return failed(-ENAMETOOLONG);
    word result = invoke_portal(portal, &p);
    return result < 0 ? failed(result) : 0;
}
int pipe(int descriptors[2])
{
    int portal = opened(&files_pipe, "files.pipe");
    if (portal < 0)
        return failed(portal == -EACCESS ? -EACCES : portal);
    word result = invoke_portal(portal);
    if (result < 0)
        return failed(result);
    descriptors[0] = result & 0xffff;
    descriptors[1] = result >> 16;
    return 0;
}
int dup(int fd)
{
    int file = behind(fd);
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    word result = invoke_portal(file + CONTROL, 1l, 0l);
    return result < 0 ? failed(result) : result;
}
/* Only onto 0, 1 and 2: any other descriptor is the number of a portal. */
int dup2(int from, int to)
{
    if (to < 0 || to > 2)
        return failed(-EINVAL);
    if (from == to)
        return to;
    int copy = dup(from);
    if (copy < 0)
        return copy;
    fflush(to == 2 ? stderr : stdout);
    close(to);
    standard[to] = copy;
    return to;
}
int isatty(int fd)
{
    return fd >= 0 && fd <= 2 && !standard[fd];
}

static char in_buffer[512], out_buffer[2048];
static struct __file_bufio in =
    FDEV_SETUP_BUFIO(0, in_buffer, sizeof in_buffer, read, write, lseek, close, __SRD, 0);
static struct __file_bufio out =
    FDEV_SETUP_BUFIO(1, out_buffer, sizeof out_buffer, read, write, lseek, close, __SWR, __BLBF);
static char error_buffer[1];
static struct __file_bufio error =
    FDEV_SETUP_BUFIO(2, error_buffer, 0, read, write, lseek, close, __SWR, 0);

FILE *const stdin = &in.xfile.cfile.file;
FILE *const stdout = &out.xfile.cfile.file;
FILE *const stderr = &error.xfile.cfile.file;

__attribute__((constructor(101))) static void make_locks(void)
{
    __bufio_lock_init(stdin);
    __bufio_lock_init(stdout);
    __bufio_lock_init(stderr);
}
