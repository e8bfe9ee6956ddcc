/* BSD sockets on the portals of the internet component. A descriptor is the number of the first of four portals, so that read, write and
   close need nothing of this. */
#include "internet.h"
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

static int internet_socket;

word __pebble_socket_node(int fd)
{
    struct status status;
    int file = __pebble_behind(fd);
    if (fd < 0)
        return -EBADF;
    word result = file < SYS_FIRST_FREE ? -ENOTSOCK : invoke_portal(file + PORTAL_CONTROL, (word)CONTROL_STATUS, &status);
    if (result == -EPORTAL)
        return -EBADF;
    return result < 0 ? result : status.kind == KIND_SOCKET ? (word)status.node : -ENOTSOCK;
}
word __pebble_socket(int fd, int what, void *page)
{
    int file = __pebble_behind(fd);
    if (file < SYS_FIRST_FREE)
        return fd < 0 ? -EBADF : -ENOTSOCK;
    word result = invoke_portal(file + PORTAL_CONTROL, (word)what, page);
    /* What is no socket knows no such operation. */
    if (result == -EINVAL && __pebble_socket_node(fd) == -ENOTSOCK)
        return -ENOTSOCK;
    return result == -EPORTAL ? -EBADF : result;
}
word __pebble_nonblocking(int fd, int how)
{
    uint64_t value = how;
    return __pebble_socket(fd, SOCKET_NONBLOCKING, &value);
}
int __pebble_address(struct address *to, const struct sockaddr *from, socklen_t size)
{
    memset(to, 0, sizeof *to);
    if (from && from->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *in = (const void *)from;
        to->family = FAMILY_IPV4;
        to->port = ntohs(in->sin_port);
        memcpy(to->bytes, &in->sin_addr, 4);
        return 0;
    }
    if (from && from->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *in = (const void *)from;
        to->family = FAMILY_IPV6;
        to->port = ntohs(in->sin6_port);
        memcpy(to->bytes, &in->sin6_addr, 16);
        return 0;
    }
    return from && (from->sa_family == AF_INET || from->sa_family == AF_INET6) ? -EINVAL : -EAFNOSUPPORT;
}
void __pebble_told(const struct address *from, struct sockaddr *to, socklen_t *size)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(from->port)};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(from->port)};
    if (!to || !size)
        return;
    memcpy(&in.sin_addr, from->bytes, 4);
    memcpy(&in6.sin6_addr, from->bytes, 16);
    int six = from->family == FAMILY_IPV6;
    socklen_t all = six ? sizeof in6 : sizeof in;
    memcpy(to, six ? (void *)&in6 : (void *)&in, all < *size ? all : *size);
    *size = all;
}
static int done(word result)
{
    return result < 0 ? __pebble_failed(result) : 0;
}
/* An empty datagram to the one that was connected to; 0 where that is no socket for datagrams. */
static word send_nothing(int fd)
{
    struct packet packet;
    memset(&packet.head, 0, sizeof packet.head);
    word result = __pebble_socket(fd, SOCKET_SEND, &packet);
    return result == -ENOTSOCK || result == -EOPNOTSUPP ? 0 : result;
}
int socket(int domain, int type, int protocol)
{
    int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (domain != AF_INET && domain != AF_INET6)
        return __pebble_failed(-EAFNOSUPPORT);
    if ((kind != SOCK_STREAM && kind != SOCK_DGRAM) ||
        (protocol && protocol != (kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP)))
        return __pebble_failed(-EPROTONOSUPPORT);
    __pebble_empty_datagram = send_nothing;
    int sort = kind == SOCK_STREAM ? SOCKETS_TCP : SOCKETS_UDP;
    word fd = CALLED(internet_socket, PEBBLE_INTERNET_SOCKET, through, pebble_internet_socket(through, sort));
    if (fd >= 0 && type & SOCK_NONBLOCK)
        __pebble_nonblocking(fd, WAITS_NOT);
    return fd < 0 ? __pebble_failed(fd) : __pebble_lowest(fd);
}
int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    struct address to;
    word result = __pebble_address(&to, address, size);
    return done(result < 0 ? result : __pebble_socket(fd, SOCKET_BIND, &to));
}
int listen(int fd, int backlog)
{
    uint64_t count = backlog < 1 ? 1 : backlog > SOMAXCONN ? SOMAXCONN : backlog;
    return done(__pebble_socket(fd, SOCKET_LISTEN, &count));
}
int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    struct address from;
    __pebble_empty_datagram = send_nothing;
    word result = __pebble_socket(fd, SOCKET_ACCEPT, &from);
    if (result < 0)
        return __pebble_failed(result);
    __pebble_told(&from, address, size);
    if (flags & SOCK_NONBLOCK)
        __pebble_nonblocking(result, WAITS_NOT);
    return __pebble_lowest(result);
}
int accept(int fd, struct sockaddr *address, socklen_t *size)
{
    return accept4(fd, address, size, 0);
}
int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    struct address to;
    word result = __pebble_address(&to, address, size);
    if (result >= 0)
        result = __pebble_socket(fd, SOCKET_CONNECT, &to);
    return done(result == -EAGAIN && __pebble_nonblocking(fd, ASKS) > 0 ? -EINPROGRESS : result);
}
int shutdown(int fd, int how)
{
    uint64_t nothing = 0;
    /* What comes can always be read, and need not be. */
    return how == SHUT_RD ? done(__pebble_socket_node(fd)) : done(__pebble_socket(fd, SOCKET_SHUTDOWN, &nothing));
}
static int name(int fd, int which, struct sockaddr *address, socklen_t *size)
{
    struct address told;
    word result = __pebble_socket(fd, which, &told);
    if (result >= 0)
        __pebble_told(&told, address, size);
    return done(result);
}
int getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
    return name(fd, SOCKET_LOCAL, address, size);
}
int getpeername(int fd, struct sockaddr *address, socklen_t *size)
{
    return name(fd, SOCKET_REMOTE, address, size);
}
int getsockopt(int fd, int level, int option, void *value, socklen_t *size)
{
    word node = __pebble_socket_node(fd);
    if (node < 0)
        return __pebble_failed(node);
    if (level != SOL_SOCKET || option != SO_ERROR || *size < sizeof(int))
        return __pebble_failed(-ENOPROTOOPT);
    uint64_t nothing = 0;
    word error = __pebble_socket(fd, SOCKET_ERROR, &nothing);
    if (error < 0)
        return __pebble_failed(error);
    *(int *)value = error;
    *size = sizeof(int);
    return 0;
}
/* What is asked for most is so without asking: ports can be taken again at once, and nothing is held back. */
int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    (void)value, (void)size;
    word node = __pebble_socket_node(fd);
    if (node < 0)
        return __pebble_failed(node);
    int known = (level == SOL_SOCKET && (option == SO_REUSEADDR || option == SO_REUSEPORT)) || (level == IPPROTO_TCP && option == 1);
    return known ? 0 : __pebble_failed(-ENOPROTOOPT);
}
/* Whether a call with these flags would wait though it must not. */
static int must_not(int fd, int flags, short event)
{
    struct pollfd one = {.fd = fd, .events = event};
    return flags & MSG_DONTWAIT && poll(&one, 1, 0) == 0;
}
static int in_one_page(const void *buffer, size_t count)
{
    return count <= PAGE - (uintptr_t)buffer % PAGE;
}
ssize_t sendto(int fd, const void *buffer, size_t count, int flags, const struct sockaddr *to, socklen_t size)
{
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL))
        return __pebble_failed(-EOPNOTSUPP);
    if (must_not(fd, flags, POLLOUT))
        return __pebble_failed(-EAGAIN);
    if (!to && count && in_one_page(buffer, count))
        return write(fd, buffer, count);
    struct packet packet;
    memset(&packet.head.address, 0, sizeof packet.head.address);
    word result = to ? __pebble_address(&packet.head.address, to, size) : 0;
    packet.head.bytes = count;
    if (result >= 0 && count <= sizeof packet.payload) {
        memcpy(packet.payload, buffer, count);
        result = __pebble_socket(fd, SOCKET_SEND, &packet);
    } else if (result >= 0) {
        /* Of a stream it is a length like any other. */
        packet.head.bytes = 0;
        result = __pebble_socket(fd, SOCKET_SEND, &packet) == -EOPNOTSUPP ? -EOPNOTSUPP : -EMSGSIZE;
    }
    /* A stream is connected, so that it does not matter where to. */
    if (result == -EOPNOTSUPP)
        return write(fd, buffer, count);
    return result < 0 ? __pebble_failed(result) : result;
}
ssize_t send(int fd, const void *buffer, size_t count, int flags)
{
    return sendto(fd, buffer, count, flags, NULL, 0);
}
ssize_t recvfrom(int fd, void *buffer, size_t count, int flags, struct sockaddr *from, socklen_t *size)
{
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL))
        return __pebble_failed(-EOPNOTSUPP);
    if (must_not(fd, flags, POLLIN))
        return __pebble_failed(-EAGAIN);
    if (!from && in_one_page(buffer, count))
        return read(fd, buffer, count);
    struct packet packet;
    packet.head.bytes = count < sizeof packet.payload ? count : sizeof packet.payload;
    word result = __pebble_socket(fd, SOCKET_RECEIVE, &packet);
    if (result == -EOPNOTSUPP) {
        if (from)
            getpeername(fd, from, size);
        return read(fd, buffer, count);
    }
    if (result < 0)
        return __pebble_failed(result);
    __pebble_told(&packet.head.address, from, size);
    /* What has no room is lost. */
    size_t there = (size_t)result < count ? (size_t)result : count;
    memcpy(buffer, packet.payload, there < sizeof packet.payload ? there : sizeof packet.payload);
    return there;
}
ssize_t recv(int fd, void *buffer, size_t count, int flags)
{
    return recvfrom(fd, buffer, count, flags, NULL, NULL);
}
