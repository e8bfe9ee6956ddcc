/* Reading and writing several buffers. */
#ifndef PEBBLE_SYS_UIO_H
#define PEBBLE_SYS_UIO_H
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
struct iovec {
    void *iov_base;
    size_t iov_len;
};
ssize_t readv(int fd, const struct iovec *buffers, int count);
ssize_t writev(int fd, const struct iovec *buffers, int count); /* what others write may come between two buffers */
#ifdef __cplusplus
}
#endif
#endif
