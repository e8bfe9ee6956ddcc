/* Waiting for several descriptors. */
#ifndef PEBBLE_POLL_H
#define PEBBLE_POLL_H

#ifdef __cplusplus
extern "C" {
#endif

#define POLLIN 1
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32

typedef unsigned nfds_t;
struct pollfd {
    int fd;
    short events, revents;
};

/* Files are always ready. A list with a pipe or the console in it is looked at every few milliseconds. */
int poll(struct pollfd *list, nfds_t count, int milliseconds);

#ifdef __cplusplus
}
#endif
#endif
