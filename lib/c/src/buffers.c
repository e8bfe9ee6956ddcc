/* readv and writev, and lines of any length. */
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
ssize_t getdelim(char **line, size_t *size, int end, FILE *file)
{
    size_t length = 0;
    for (int c = 0; c != end;) {
        if ((c = getc(file)) == EOF) {
            if (length == 0 || ferror(file))
                return -1;
            break;
        }
        if (!*line || length + 2 > *size) {
            size_t larger = *line && *size > 60 ? 2 * *size : 120;
            char *moved = realloc(*line, larger);
            if (!moved)
                return -1;
            *line = moved;
            *size = larger;
        }
        (*line)[length++] = c;
    }
    if (!*line)
        return -1;
    (*line)[length] = 0;
    return length;
}
ssize_t getline(char **line, size_t *size, FILE *file)
{
    return getdelim(line, size, '\n', file);
}
