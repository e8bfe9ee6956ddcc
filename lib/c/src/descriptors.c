/* Descriptors: reading, writing, seeking, closing, pipes. */
#include "internet.h"
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raises SIGPIPE, or does what that does by itself, because nobody takes what is written to `fd`; keeps errno. */
void __pebble_broken_pipe(int fd);
/* What 0, 1 and 2 are: the console, or what dup2 has put in their place. */
static int standard[3];
static int console_write, console_error, console_read, console_raw, files_pipe;

/* Takes over the streams that the program's starter hands over to it. */
void __pebble_inherit(const struct start *start)
{
    int inherit = portal_open("files.inherit");
    for (int n = 0; n < 3; n++)
        if (start->inherited >> n & 1) {
            standard[n] = inherit < 0 ? inherit : (int)invoke_portal(inherit, (word)start->starter, (word)n);
            /* It was not to have the console instead: shells call this "could not be executed". */
            if (standard[n] < 0)
                for (;;)
                    invoke_portal(SYS_EXIT, 126);
        }
}
/* A number that leads nowhere is no descriptor. */
static ssize_t failed(word result)
{
    return __pebble_failed(result == -EPORTAL ? -EBADF : result);
}
/* Bytes of `count` that lie in the first page. */
static size_t in_page(const void *buffer, size_t count)
{
    size_t room = PAGE - (uintptr_t)buffer % PAGE;
    return count < room ? count : room;
}
int __pebble_behind(int fd)
{
    return fd >= 0 && fd <= 2 ? (standard[fd] ? standard[fd] : -1) : fd;
}
/* The portal that writes to, or reads from, a descriptor. */
static int portal_of(int fd, int which)
{
    int file = __pebble_behind(fd);
    if (file >= SYS_FIRST_FREE)
        return file + which;
    if (file >= 0 || fd < 0 || (which == READ) != (fd == 0))
        return -EBADF;
    if (which == READ)
        return __pebble_raw ? __pebble_opened(&console_raw, "console.raw") : __pebble_opened(&console_read, "console.read");
    /* A console that does not tell errors from output takes them as that. */
    int portal = fd == 2 ? __pebble_opened(&console_error, "console.error") : -ENOENT;
    return portal < 0 ? __pebble_opened(&console_write, "console.write") : portal;
}
/* Writes what is left after the first `done` bytes. */
static __attribute__((noinline)) ssize_t write_rest(int fd, const char *buffer, size_t count, size_t done)
{
    if (__pebble_behind(fd) == NOWHERE)
        return count;
    int portal = portal_of(fd, WRITE);
    if (portal < 0)
        return failed(portal);
    while (done < count) {
        word result = invoke_portal(portal, buffer + done, in_page(buffer + done, count - done));
        if (result == -EPIPE && fd <= 2) {
            failed(result);
            __pebble_broken_pipe(fd);
        }
        if (result < 0)
            return done ? (ssize_t)done : failed(result);
        done += result;
    }
    return count;
}
/* What lies in one page goes to a file's portal at once. */
ssize_t write(int fd, const void *buffer, size_t count)
{
    if (fd < SYS_FIRST_FREE || count == 0 || in_page(buffer, count) < count)
        return write_rest(fd, buffer, count, 0);
    word result = invoke_portal(fd + WRITE, buffer, count);
    if (result < 0)
        return failed(result);
    return (size_t)result < count ? write_rest(fd, buffer, count, result) : result;
}
static __attribute__((noinline)) ssize_t read_pages(int fd, char *buffer, size_t count)
{
    if (__pebble_behind(fd) == NOWHERE)
        return 0;
    int portal = portal_of(fd, READ);
    if (portal < 0)
        return failed(portal);
    size_t here = in_page(buffer, count);
    word done = invoke_portal(portal, buffer, here);
    if (done < 0)
        return failed(done);
    /* More of a pipe or the console may have to be waited for, even where it filled the page. */
    if ((size_t)done < here || here == count || __pebble_behind(fd) < 0 || invoke_portal(__pebble_behind(fd) + SEEK, 0l, (word)SEEK_CUR) < 0)
        return done;
    while ((size_t)done < count) {
        here = in_page(buffer + done, count - done);
        word result = invoke_portal(portal, buffer + done, here);
        /* An error comes again with the next call. */
        if (result < 0)
            break;
        done += result;
        if ((size_t)result < here)
            break;
    }
    return done;
}
ssize_t read(int fd, void *buffer, size_t count)
{
    if (fd < SYS_FIRST_FREE || in_page(buffer, count) < count)
        return read_pages(fd, buffer, count);
    word done = invoke_portal(fd + READ, buffer, count);
    return done < 0 ? failed(done) : done;
}
off_t lseek(int fd, off_t offset, int whence)
{
    int file = __pebble_behind(fd);
    if (file == NOWHERE)
        return 0;
    if (file < SYS_FIRST_FREE)
        return failed(file < 0 && fd >= 0 ? -ESPIPE : -EBADF);
    word result = invoke_portal(file + SEEK, offset, (word)whence);
    return result < 0 ? failed(result) : result;
}
int close(int fd)
{
    int file = __pebble_behind(fd);
    if (fd >= 0 && fd <= 2) {
        standard[fd] = 0;
        /* The descriptor that dup2 made; it belongs to the number alone. */
        if (file < 0)
            return 0;
    }
    if (file == NOWHERE)
        return 0;
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    int result = portal_close(file);
    for (int which = WRITE; which < PORTALS; which++)
        portal_close(file + which);
    return result < 0 ? failed(result) : 0;
}
int pipe(int descriptors[2])
{
    int portal = __pebble_opened(&files_pipe, "files.pipe");
    word result = portal < 0 ? portal : invoke_portal(portal);
    if (result < 0)
        return __pebble_failed(result);
    descriptors[0] = result & 0xffff;
    descriptors[1] = result >> 16;
    return 0;
}
int dup(int fd)
{
    int file = __pebble_behind(fd);
    if (file == NOWHERE)
        return NOWHERE;
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    char page;
    word result = invoke_portal(file + CONTROL, (word)DUPLICATE, &page);
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
int ftruncate(int fd, off_t length)
{
    uint64_t bytes = length;
    int file = __pebble_behind(fd);
    word result = length < 0 || file < SYS_FIRST_FREE ? -EINVAL : invoke_portal(file + CONTROL, (word)TRUNCATE, &bytes);
    return result < 0 ? failed(result) : 0;
}
int fsync(int fd)
{
    int file = __pebble_behind(fd);
    uint64_t nothing = 0;
    if (file == NOWHERE)
        return 0;
    if (file >= SYS_FIRST_FREE) {
        word result = invoke_portal(file + CONTROL, (word)SYNC, &nothing);
        return result < 0 ? failed(result) : 0;
    }
    /* What the console was given leaves the device. */
    int portal = portal_of(fd, WRITE);
    char page;
    word result = portal < 0 ? portal : invoke_portal(portal, &page, 0l);
    return result < 0 ? failed(result) : 0;
}
/* A descriptor keeps the flags that it was opened with, and is closed with its domain: nothing else can be asked for. */
int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    int argument = va_arg(arguments, int);
    va_end(arguments);
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    switch (command) {
    case F_DUPFD: return argument <= SYS_FIRST_FREE ? dup(fd) : failed(-EINVAL);
    case F_GETFD: return FD_CLOEXEC;
    case F_SETFD: return 0;
    case F_GETFL: return O_RDWR | (S_ISSOCK(status.st_mode) && __pebble_nonblocking(fd, ASKS) > 0 ? O_NONBLOCK : 0);
    case F_SETFL:
        if (S_ISSOCK(status.st_mode) && !(argument & O_APPEND)) {
            word result = __pebble_nonblocking(fd, argument & O_NONBLOCK ? WAITS_NOT : WAITS);
            return result < 0 ? failed(result) : 0;
        }
        return argument & (O_NONBLOCK | O_APPEND) ? failed(-ENOTSUP) : 0;
    default: return failed(-EINVAL);
    }
}
