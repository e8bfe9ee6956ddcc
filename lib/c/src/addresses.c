/* Addresses of IPv4 as older programs write them, and of sockets as text. */
#include "system.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>

int inet_aton(const char *text, struct in_addr *address)
{
    uint32_t parts[4], value;
    int count = 0;
    for (;; text++) {
        char *end;
        unsigned long part = isdigit((unsigned char)*text) && count < 4 ? strtoul(text, &end, 0) : (end = NULL, 0);
        if (!end || part > UINT32_MAX)
            return 0;
        parts[count++] = part;
        text = end;
        if (*text != '.')
            break;
    }
    /* The last part is all bytes that are left. */
    value = parts[count - 1];
    if ((*text && !isspace((unsigned char)*text)) || (count > 1 && value >> (8 * (5 - count))))
        return 0;
    for (int n = 0; n + 1 < count; n++) {
        if (parts[n] > 255)
            return 0;
        value |= parts[n] << (24 - 8 * n);
    }
    if (address)
        address->s_addr = htonl(value);
    return 1;
}
uint32_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}
char *inet_ntoa(struct in_addr address)
{
    static __thread char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof text);
}
int getnameinfo(const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size, char *service, socklen_t service_size, int flags)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    int family = size >= sizeof address->sa_family ? address->sa_family : AF_UNSPEC;
    if ((family != AF_INET || size < sizeof *four) && (family != AF_INET6 || size < sizeof *six))
        return EAI_FAMILY;
    if (flags & NI_NAMEREQD || !((host && host_size) || (service && service_size)))
        return EAI_NONAME;
    const void *bytes = family == AF_INET ? (const void *)&four->sin_addr : &six->sin6_addr;
    if (host && host_size && !inet_ntop(family, bytes, host, host_size))
        return EAI_OVERFLOW;
    int port = ntohs(family == AF_INET ? four->sin_port : six->sin6_port);
    return service && service_size && snprintf(service, service_size, "%d", port) >= (int)service_size ? EAI_OVERFLOW : 0;
}
