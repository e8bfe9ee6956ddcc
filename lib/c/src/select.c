/* select, as poll: a descriptor of each set that is ready stays in it. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/select.h>

/* What stands for the sets of one descriptor. */
static short wanted(int fd, const fd_set *reads, const fd_set *writes, const fd_set *errors)
{
    short events = reads && FD_ISSET(fd, reads) ? POLLIN : 0;
    events |= writes && FD_ISSET(fd, writes) ? POLLOUT : 0;
    return events | (errors && FD_ISSET(fd, errors) ? POLLERR : 0);
}
static int keep(int fd, fd_set *set, int ready)
{
    if (!set || !FD_ISSET(fd, set))
        return 0;
    if (!ready)
        FD_CLR(fd, set);
    return ready;
}
int select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *time)
{
    if (count < 0 || count > FD_SETSIZE || (time && (time->tv_sec < 0 || time->tv_usec < 0))) {
        errno = EINVAL;
        return -1;
    }
    struct pollfd *list = calloc(count ? count : 1, sizeof *list);
    if (!list)
        return -1;
    for (int fd = 0; fd < count; fd++) {
        short events = wanted(fd, reads, writes, errors);
        list[fd] = (struct pollfd){.fd = events ? fd : -1, .events = events};
    }
    long milliseconds = time ? time->tv_sec * 1000 + (time->tv_usec + 999) / 1000 : -1;
    int result = poll(list, count, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds), ready = 0;
    for (int fd = 0; fd < count && result >= 0; fd++)
        if (list[fd].revents & POLLNVAL) {
            errno = EBADF;
            result = -1;
        }
    for (int fd = 0; fd < count && result >= 0; fd++) {
        ready += keep(fd, reads, (list[fd].revents & (POLLIN | POLLHUP)) != 0);
        ready += keep(fd, writes, (list[fd].revents & (POLLOUT | POLLERR | POLLHUP)) != 0);
        ready += keep(fd, errors, 0);
    }
    free(list);
    return result < 0 ? -1 : ready;
}
