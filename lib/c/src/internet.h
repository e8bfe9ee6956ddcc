/* What the parts of the C library that know sockets share: lib/abi/src/internet.rs in C. */
#ifndef PEBBLE_INTERNET_H
#define PEBBLE_INTERNET_H

#include "files.h"
#include <netinet/in.h>

/* Kinds of sockets. */
enum { STREAMS = 1, DATAGRAMS };
/* Operations of the control portal beside those of files. */
enum { BIND = 16, CONNECT, LISTEN, ACCEPT, SHUTDOWN, LOCAL, REMOTE, NONBLOCKING, SEND, RECEIVE };
/* Values of NONBLOCKING: whether calls wait; only asks. */
enum { WAITS, WAITS_NOT, ASKS };
/* Families of addresses. */
enum { FAMILY_NONE, FAMILY_4 = 4, FAMILY_6 = 6 };
/* What can be waited for. */
enum { READY_READ = 1, READY_WRITE = 2, READY_CLOSED = 4, READY_INVALID = 8 };

struct address {
    uint8_t bytes[16];
    uint16_t family, port;
    uint32_t unused[3];
} __attribute__((aligned(32)));
/* A datagram where one window shows all of it. */
struct packet {
    struct address address;
    uint64_t bytes, unused[3];
    char payload[PAGE / 2 - 64];
} __attribute__((aligned(2048)));
struct interest {
    uint64_t node;
    uint32_t wanted, ready;
};

/* An operation of a socket's control portal; < 0: why not. ENOTSOCK: the descriptor is none. */
word __pebble_socket(int fd, int what, void *page);
/* The number that internet.poll knows a socket by; < 0: why not, -ENOTSOCK where it is something else. */
word __pebble_socket_node(int fd);
/* An address as sockets have it, and back; < 0: why not. */
int __pebble_address(struct address *to, const struct sockaddr *from, socklen_t size);
void __pebble_told(const struct address *from, struct sockaddr *to, socklen_t *size);
/* Whether a socket waits (0) or not (1); sets that where `how` is not ASKS. */
word __pebble_nonblocking(int fd, int how);
#endif
