/* BSD sockets: each is four portals of the internet component's, as a file is of the files component's. */
#ifndef PEBBLE_SYS_SOCKET_H
#define PEBBLE_SYS_SOCKET_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned socklen_t;
typedef unsigned short sa_family_t;

#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 10
#define PF_UNSPEC AF_UNSPEC
#define PF_INET AF_INET
#define PF_INET6 AF_INET6
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_NONBLOCK 0x4000
#define SOCK_CLOEXEC 0x40000
#define SOL_SOCKET 1
#define SO_REUSEADDR 2
#define SO_TYPE 3
#define SO_ERROR 4
#define SO_KEEPALIVE 9
#define SO_REUSEPORT 15
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define SOMAXCONN 256
#define MSG_DONTWAIT 0x40
/* Nothing else comes here where nobody reads any more. */
#define MSG_NOSIGNAL 0x4000

struct sockaddr {
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_storage {
    sa_family_t ss_family;
    char data[118];
    unsigned long align;
};

/* EACCES: the manifest does not let this component have that port, or reach that address. */
int socket(int domain, int type, int protocol);
int bind(int fd, const struct sockaddr *address, socklen_t size);
int listen(int fd, int backlog);
int accept(int fd, struct sockaddr *address, socklen_t *size);
int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int connect(int fd, const struct sockaddr *address, socklen_t size);
int shutdown(int fd, int how);
int getsockname(int fd, struct sockaddr *address, socklen_t *size);
int getpeername(int fd, struct sockaddr *address, socklen_t *size);
int getsockopt(int fd, int level, int option, void *value, socklen_t *size);
int setsockopt(int fd, int level, int option, const void *value, socklen_t size);
ssize_t send(int fd, const void *buffer, size_t count, int flags);
ssize_t recv(int fd, void *buffer, size_t count, int flags);
ssize_t sendto(int fd, const void *buffer, size_t count, int flags, const struct sockaddr *to, socklen_t size);
ssize_t recvfrom(int fd, void *buffer, size_t count, int flags, struct sockaddr *from, socklen_t *size);

#ifdef __cplusplus
}
#endif
#endif
