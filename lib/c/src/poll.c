/* Waiting for several sockets, in one call of the internet component. */
#include "internet.h"
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

/* Sockets of one call, which lie in eight pages wherever they begin. */
#define MOST 1024
/* Milliseconds that stand for ever: longer than any machine runs. */
#define EVER (1ul << 40)

static int internet_poll;

/* What holds of a descriptor that is no socket. */
static short other(int fd, short events)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return POLLNVAL;
    return events & (POLLIN | POLLOUT);
}
int poll(struct pollfd *list, nfds_t count, int milliseconds)
{
    if (count > MOST)
        return __pebble_failed(-EINVAL);
    struct interest *interests = count ? calloc(count, sizeof *interests) : NULL;
    nfds_t sockets = 0;
    int ready = 0;
    if (count && !interests)
        return __pebble_failed(-ENOMEM);
    for (nfds_t n = 0; n < count; n++) {
        list[n].revents = 0;
        if (list[n].fd < 0)
            continue;
        word node = __pebble_socket_node(list[n].fd);
        if (node >= 0) {
            uint32_t wanted = (list[n].events & POLLIN ? READY_READ : 0) | (list[n].events & POLLOUT ? READY_WRITE : 0);
            interests[sockets++] = (struct interest){.node = node, .wanted = wanted};
        } else {
            list[n].revents = node == -ENOTSOCK ? other(list[n].fd, list[n].events) : POLLNVAL;
            ready += list[n].revents != 0;
        }
    }
    word result = 0;
    if (sockets) {
        word wait = ready ? 0 : milliseconds < 0 ? (word)EVER : milliseconds;
        result = __pebble_opened(&internet_poll, "internet.poll");
        if (result >= 0)
            result = invoke_portal(internet_poll, interests, sockets * sizeof *interests, wait);
    } else if (!ready && milliseconds != 0) {
        struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000l};
        while (milliseconds < 0 || nanosleep(&time, &time) < 0)
            if (milliseconds < 0)
                nanosleep(&(struct timespec){1000, 0}, NULL);
    }
    for (nfds_t n = 0, at = 0; n < count && result >= 0; n++) {
        if (list[n].fd < 0 || list[n].revents || at == sockets)
            continue;
        uint32_t told = interests[at++].ready;
        short events = list[n].events & POLLIN && told & READY_READ ? POLLIN : 0;
        events |= list[n].events & POLLOUT && told & READY_WRITE ? POLLOUT : 0;
        events |= (told & READY_CLOSED ? POLLHUP : 0) | (told & READY_INVALID ? POLLNVAL : 0);
        list[n].revents = events;
        ready += events != 0;
    }
    free(interests);
    if (result == -EDEAD || result == -EPORTAL) {
        /* Its sockets have gone with the component: the next call finds the one that was started again. */
        portal_close(internet_poll);
        internet_poll = 0;
    }
    return result < 0 ? __pebble_failed(result) : ready;
}
