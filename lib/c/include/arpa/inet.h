/* Addresses as text, and the order of bytes on a network, which picolibc has. */
#ifndef PEBBLE_ARPA_INET_H
#define PEBBLE_ARPA_INET_H

#include_next <arpa/inet.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1; 0: the text is no address; -1 with EAFNOSUPPORT. */
int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

#ifdef __cplusplus
}
#endif
#endif
