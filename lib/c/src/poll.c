/* Waiting for several descriptors: for sockets in one call of the internet component; pipes and the console, which no call waits for, are looked
   at again and again, the less often the longer nothing happens. */
#include "console.h"
#include "internet.h"
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

/* Sockets of one call, which lie in eight pages wherever they begin. */
#define MOST 1024
/* Milliseconds that stand for ever: longer than any machine runs. */
#define EVER (1ul << 40)

static int internet_poll;

/* The console: its input is asked for; its output is taken whenever it is written, if by anybody. */
static short console(int fd, short events)
{
    int file = __pebble_behind(fd), stream = file - CONSOLE;
    if (file == NOWHERE)
        return events & (POLLIN | POLLOUT);
    word ready = __pebble_console(CONSOLE_READY, __pebble_raw, 0);
    if (ready < 0)
        return POLLNVAL;
    if (stream == 0)
        return ready & 1 ? events & POLLIN : 0;
    return ready >> stream & 1 ? POLLERR : events & POLLOUT;
}
/* What holds of a descriptor that is no socket. */
static short other(int fd, short events)
{
    struct status status;
    if (__pebble_status(fd, &status) < 0)
        return POLLNVAL;
    switch (status.kind) {
    case KIND_CONSOLE: return console(fd, events);
    case KIND_DIRECTORY:
    case KIND_FILE: return events & (POLLIN | POLLOUT);
    case KIND_PIPE: {
        short ready = (status.bytes ? POLLIN : 0) | (status.bytes < PIPE_BYTES ? POLLOUT : 0);
        short left = status.version & PIPE_NO_WRITERS ? POLLHUP : status.version & PIPE_NO_READERS ? POLLERR : 0;
        return (events & ready) | left;
    }
    default: return POLLNVAL;
    }
}
/* Asks once, waiting at most so many milliseconds where there are only sockets. */
static int once(struct pollfd *list, nfds_t count, int milliseconds)
{
    if (count > MOST)
        return __pebble_failed(-EINVAL);
    struct interest *interests = count ? calloc(count, sizeof *interests) : NULL;
    /* Which of the list each is. */
    struct pollfd **of = count ? calloc(count, sizeof *of) : NULL;
    nfds_t sockets = 0;
    int ready = 0;
    if (count && (!interests || !of)) {
        free(interests), free(of);
        return __pebble_failed(-ENOMEM);
    }
    for (nfds_t n = 0; n < count; n++) {
        list[n].revents = 0;
        if (list[n].fd < 0)
            continue;
        word node = __pebble_socket_node(list[n].fd);
        if (node >= 0) {
            uint32_t wanted = (list[n].events & POLLIN ? READY_READ : 0) | (list[n].events & POLLOUT ? READY_WRITE : 0);
            of[sockets] = &list[n];
            interests[sockets++] = (struct interest){.node = node, .wanted = wanted};
        } else {
            list[n].revents = node == -ENOTSOCK ? other(list[n].fd, list[n].events) : POLLNVAL;
            ready += list[n].revents != 0;
        }
    }
    word result = 0;
    int through = 0;
    if (sockets) {
        word wait = ready ? 0 : milliseconds < 0 ? (word)EVER : milliseconds;
        result = through = __pebble_opened(&internet_poll, PEBBLE_INTERNET_POLL);
        if (result >= 0)
            result = pebble_internet_poll(through, interests, sockets * sizeof *interests, wait);
    }
    for (nfds_t at = 0; at < sockets && result >= 0; at++) {
        uint32_t told = interests[at].ready;
        short events = of[at]->events & POLLIN && told & READY_READ ? POLLIN : 0;
        events |= of[at]->events & POLLOUT && told & READY_WRITE ? POLLOUT : 0;
        events |= (told & READY_CLOSED ? POLLHUP : 0) | (told & READY_INVALID ? POLLNVAL : 0);
        of[at]->revents = events;
        ready += events != 0;
    }
    free(interests), free(of);
    /* Its sockets have gone with the component: the next call finds the one that was started again. */
    __pebble_lost(&internet_poll, through, result);
    return result < 0 ? __pebble_failed(result) : ready;
}
/* Whether there is something that no call waits for, or nothing at all. */
static int has_others(const struct pollfd *list, nfds_t count)
{
    nfds_t sockets = 0;
    for (nfds_t n = 0; n < count; n++) {
        if (list[n].fd >= 0 && __pebble_socket_node(list[n].fd) < 0)
            return 1;
        sockets += list[n].fd >= 0;
    }
    return sockets == 0;
}
int poll(struct pollfd *list, nfds_t count, int milliseconds)
{
    if (!has_others(list, count))
        return once(list, count, milliseconds);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long pause = 200000;; pause += pause < 10000000 ? pause / 2 : 0) {
        int ready = once(list, count, 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
        long left = milliseconds - (now.tv_sec - start.tv_sec) * 1000 - (now.tv_nsec - start.tv_nsec) / 1000000;
        if (ready != 0 || (milliseconds >= 0 && left <= 0))
            return ready;
        long most = milliseconds < 0 || left > 1000 ? pause : left * 1000000;
        nanosleep(&(struct timespec){0, pause < most ? pause : most}, NULL);
    }
}
