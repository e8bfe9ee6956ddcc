/* Descriptors: reading, writing, seeking, closing, pipes. */
#include "console.h"
#include "internet.h"
#include <fcntl.h>
#include <unistd.h>

/* Raises SIGPIPE, or does what that does by itself, because nobody takes what is written to `fd`; keeps errno. */
void __pebble_broken_pipe(int fd);
/* What 0, 1 and 2 are: the console's stream of that number where they are 0; else what was put in their place, or CLOSED. */
static int standard[3];
/* How many descriptors of the console's streams there are beside: those of one stream have one number. */
static int copies[3];
static int files_pipe;

/* Takes over the streams that the program's starter hands over to it. */
void __pebble_inherit(const struct start *start)
{
    int inherit = portal_open(PEBBLE_FILES_INHERIT);
    for (int n = 0; n < 3; n++)
        if (start->inherited >> n & 1) {
            standard[n] = inherit < 0 ? inherit : (int)pebble_files_inherit(inherit, start->starter, n);
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
    if (fd >= 0 && fd <= 2)
        return standard[fd] ? standard[fd] : CONSOLE + fd;
    return __pebble_is_console(fd) && copies[fd - CONSOLE] == 0 ? CLOSED : fd;
}
int __pebble_lowest(int file)
{
    for (int fd = 0; fd <= 2 && file >= 0; fd++)
        if (standard[fd] == CLOSED) {
            standard[fd] = file;
            return fd;
        }
    if (__pebble_is_console(file))
        copies[file - CONSOLE]++;
    return file;
}
/* Writes to, or reads from, a descriptor: bytes of one page. */
static word move(int fd, int which, const void *buffer, size_t count)
{
    int file = __pebble_behind(fd);
    if (file >= SYS_FIRST_FREE)
        return invoke_portal(file + which, buffer, count);
    int stream = file - CONSOLE;
    if (!__pebble_is_console(file) || (which == PORTAL_READ) != (stream == 0))
        return -EBADF;
    enum console_portal portal = stream == 0 ? __pebble_raw ? CONSOLE_RAW : CONSOLE_READ : stream == 1 ? CONSOLE_WRITE : CONSOLE_ERROR;
    return __pebble_console(portal, (word)buffer, count);
}
/* Sends nothing as a datagram, where the descriptor is for datagrams: set by sockets. A file or a pipe is not told of it. */
word (*__pebble_empty_datagram)(int fd);
/* Writes what is left after the first `done` bytes. */
static __attribute__((noinline)) ssize_t write_rest(int fd, const char *buffer, size_t count, size_t done)
{
    if (__pebble_behind(fd) == NOWHERE)
        return count;
    if (count == 0 && __pebble_empty_datagram) {
        word result = __pebble_empty_datagram(fd);
        return result < 0 ? failed(result) : 0;
    }
    while (done < count) {
        word result = move(fd, PORTAL_WRITE, buffer + done, in_page(buffer + done, count - done));
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
    word result = invoke_portal(fd + PORTAL_WRITE, buffer, count);
    if (result < 0)
        return failed(result);
    return (size_t)result < count ? write_rest(fd, buffer, count, result) : result;
}
static __attribute__((noinline)) ssize_t read_pages(int fd, char *buffer, size_t count)
{
    if (__pebble_behind(fd) == NOWHERE)
        return 0;
    size_t here = in_page(buffer, count);
    word done = move(fd, PORTAL_READ, buffer, here);
    if (done < 0)
        return failed(done);
    /* More of a pipe or the console may have to be waited for, even where it filled the page. */
    if ((size_t)done < here || here == count || __pebble_behind(fd) < SYS_FIRST_FREE || invoke_portal(__pebble_behind(fd) + PORTAL_SEEK, 0l, (word)SEEK_CUR) < 0)
        return done;
    while ((size_t)done < count) {
        here = in_page(buffer + done, count - done);
        word result = move(fd, PORTAL_READ, buffer + done, here);
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
    word done = invoke_portal(fd + PORTAL_READ, buffer, count);
    return done < 0 ? failed(done) : done;
}
off_t lseek(int fd, off_t offset, int whence)
{
    int file = __pebble_behind(fd);
    if (file == NOWHERE)
        return 0;
    if (file < SYS_FIRST_FREE)
        return failed(__pebble_is_console(file) ? -ESPIPE : -EBADF);
    word result = invoke_portal(file + PORTAL_SEEK, offset, (word)whence);
    return result < 0 ? failed(result) : result;
}
void (*__pebble_before_close)(int fd);
int __pebble_close(int file)
{
    int result = portal_close(file);
    for (int which = PORTAL_WRITE; which < PORTAL_COUNT; which++)
        portal_close(file + which);
    return result;
}
int close(int fd)
{
    int file = __pebble_behind(fd);
    if (file == NOWHERE || __pebble_is_console(file)) {
        if (fd >= 0 && fd <= 2)
            standard[fd] = CLOSED;
        else if (file != NOWHERE)
            copies[file - CONSOLE]--;
        return 0;
    }
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    if (__pebble_before_close)
        __pebble_before_close(fd);
    /* The descriptor that was put there belongs to the number alone. */
    if (fd <= 2)
        standard[fd] = CLOSED;
    int result = __pebble_close(file);
    return result < 0 ? failed(result) : 0;
}
int pipe(int descriptors[2])
{
    word result = CALLED(files_pipe, PEBBLE_FILES_PIPE, through, pebble_files_pipe(through));
    if (result < 0)
        return __pebble_failed(result);
    descriptors[0] = __pebble_lowest(result & 0xffff);
    descriptors[1] = __pebble_lowest(result >> 16);
    return 0;
}
/* What leads to the same as a descriptor, or an error. */
static int again(int fd)
{
    int file = __pebble_behind(fd);
    if (file == NOWHERE || __pebble_is_console(file))
        return file;
    if (file < SYS_FIRST_FREE)
        return failed(-EBADF);
    char page;
    word result = invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_DUPLICATE, &page);
    return result < 0 ? failed(result) : result;
}
int dup(int fd)
{
    return __pebble_lowest(again(fd));
}
/* Only onto 0, 1 and 2: any other descriptor is the number of a portal. */
int dup2(int from, int to)
{
    struct status status;
    if (from == to) {
        word result = __pebble_status(from, &status);
        return result < 0 ? failed(result) : to;
    }
    if (to < 0 || to > 2)
        return failed(-EINVAL);
    int copy = again(from);
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
    word result = length < 0 || file < SYS_FIRST_FREE ? -EINVAL : invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_TRUNCATE, &bytes);
    return result < 0 ? failed(result) : 0;
}
int fsync(int fd)
{
    int file = __pebble_behind(fd);
    uint64_t nothing = 0;
    if (file == NOWHERE)
        return 0;
    if (file >= SYS_FIRST_FREE) {
        word result = invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_SYNC, &nothing);
        return result < 0 ? failed(result) : 0;
    }
    /* What the console was given leaves the device. */
    char page = 0;
    word result = move(fd, PORTAL_WRITE, &page, 0);
    return result < 0 ? failed(result) : 0;
}
