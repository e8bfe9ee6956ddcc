/* Standard input, output and error on the console's portals. */
#include "system.h"
#include <stdio-bufio.h>
#include <unistd.h>

/* Opened at the first use; < 0: why it could not be. */
static int console_write, console_read;

static int opened(int *portal, const char *name)
{
    if (*portal == 0)
        *portal = portal_open(name);
    return *portal;
}
/* The error of a portal as the C library's: -1 and errno. */
static ssize_t failed(word result)
{
    errno = -result;
    return -1;
}
/* Bytes of `count` that lie in the first page. */
static size_t in_page(const void *buffer, size_t count)
{
    size_t room = PAGE - (uintptr_t)buffer % PAGE;
    return count < room ? count : room;
}
ssize_t write(int fd, const void *buffer, size_t count)
{
    if (fd != 1 && fd != 2)
        return failed(-EBADF);
    int portal = opened(&console_write, "console.write");
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
    if (fd != 0)
        return failed(-EBADF);
    int portal = opened(&console_read, "console.read");
    if (portal < 0)
        return failed(portal);
    *(volatile char *)buffer; /* there, before it is lent */
    word result = invoke_portal(portal, buffer, in_page(buffer, count));
    return result < 0 ? failed(result) : result;
}
off_t lseek(int fd, off_t offset, int whence)
{
    (void)offset, (void)whence;
    return failed(fd >= 0 && fd <= 2 ? -ESPIPE : -EBADF);
}
int close(int fd)
{
    return fd >= 0 && fd <= 2 ? 0 : failed(-EBADF);
}
int open(const char *path, int flags, ...)
{
    (void)path, (void)flags;
    return failed(-ENOENT);
}
int isatty(int fd)
{
    return fd >= 0 && fd <= 2;
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
