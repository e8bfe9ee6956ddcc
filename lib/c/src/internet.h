/* What the parts of the C library that know sockets share. */
#ifndef PEBBLE_INTERNET_H
#define PEBBLE_INTERNET_H

#include "files.h"
#include <netinet/in.h>

/* Values of SOCKET_NONBLOCKING: whether calls wait; only asks. */
enum { WAITS, WAITS_NOT, ASKS };
/* A datagram where one window shows all of it. */
struct packet {
    struct datagram head;
    char payload[PAGE / 2 - sizeof(struct datagram)];
} __attribute__((aligned(2048)));

/* An operation of a socket's control portal; < 0: why not. ENOTSOCK: the descriptor is none. */
word __pebble_socket(int fd, int what, void *page);
/* The number that internet.poll knows a socket by; < 0: why not, -ENOTSOCK where it is something else. */
word __pebble_socket_node(int fd);
/* An address as sockets have it, and back; < 0: why not. */
int __pebble_address(struct address *to, const struct sockaddr *from, socklen_t size);
void __pebble_told(const struct address *from, struct sockaddr *to, socklen_t *size);
/* See descriptors.c. */
extern word (*__pebble_empty_datagram)(int fd);
/* Whether a socket waits (0) or not (1); sets that where `how` is not ASKS. */
word __pebble_nonblocking(int fd, int how);
#endif
