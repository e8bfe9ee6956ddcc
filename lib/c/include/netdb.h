/* Names of machines. */
#ifndef PEBBLE_NETDB_H
#define PEBBLE_NETDB_H

#include <netinet/in.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AI_PASSIVE 1
#define AI_NUMERICHOST 4
#define EAI_FAIL (-4)
#define EAI_NONAME (-2)
#define EAI_AGAIN (-3)
#define EAI_FAMILY (-6)
#define EAI_SOCKTYPE (-7)
#define EAI_SERVICE (-8)
#define EAI_MEMORY (-10)
#define EAI_OVERFLOW (-12)
#define NI_NUMERICHOST 1
#define NI_NUMERICSERV 2
#define NI_NAMEREQD 8
#define NI_DGRAM 16
#define NI_MAXHOST 1025
#define NI_MAXSERV 32

struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};

/* All addresses, those of IPv4 first, for streams and for datagrams where neither is asked for: of a number, of a name in etc/hosts, or of one by the
   network's name servers, where the manifest lets this component open internet.resolve. Services are numbers. EAI_NONAME: there is none of that family;
   EAI_AGAIN: no server can say now. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found);
/* Addresses and services in numbers: nobody is asked for names, so one that is required is EAI_NONAME. */
int getnameinfo(const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size, char *service, socklen_t service_size, int flags);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
