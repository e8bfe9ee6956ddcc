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
struct in_addr;
/* Of IPv4, with one to four parts, each a number as C has it; 0: the text is no address. inet_addr then answers INADDR_NONE. */
int inet_aton(const char *text, struct in_addr *address);
uint32_t inet_addr(const char *text);
char *inet_ntoa(struct in_addr address); /* until the thread's next */
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

#ifdef __cplusplus
}
#endif
#include <netinet/in.h>
#endif
