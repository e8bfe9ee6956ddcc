/* readv and writev. */
#include "system.h"
#include <sys/uio.h>
#include <unistd.h>

static ssize_t each(ssize_t (*call)(int, void *, size_t), int fd, const struct iovec *buffers, int count)
{
    ssize_t done = 0;
    for (int n = 0; n < count; n++) {
        ssize_t result = buffers[n].iov_len ? call(fd, buffers[n].iov_base, buffers[n].iov_len) : 0;
        if (result < 0)
            return done ? done : -1;
        done += result;
        if ((size_t)result < buffers[n].iov_len)
            break;
    }
    return done;
}
static ssize_t put(int fd, void *buffer, size_t count)
{
    return write(fd, buffer, count);
}
ssize_t readv(int fd, const struct iovec *buffers, int count)
{
    return each(read, fd, buffers, count);
}
ssize_t writev(int fd, const struct iovec *buffers, int count)
{
    return each(put, fd, buffers, count);
}
