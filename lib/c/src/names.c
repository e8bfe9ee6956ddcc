/* Names and addresses of machines. */
#include "internet.h"
#include <ctype.h>
#include <strings.h>
#include <netdb.h>

static int internet_resolve;

/* A number of so many digits at most, in this base; where it ends, or NULL. */
static const char *digits(const char *text, int base, int most, unsigned *value)
{
    char *end;
    if (!isxdigit((unsigned char)*text))
        return NULL;
    *value = strtoul(text, &end, base);
    return end - text <= most ? end : NULL;
}
static const char *four(const char *text, uint8_t *to)
{
    for (int n = 0; n < 4; n++) {
        unsigned value;
        if (n > 0 && *text++ != '.')
            return NULL;
        text = digits(text, 10, 3, &value);
        if (!text || value > 255)
            return NULL;
        to[n] = value;
    }
    return text;
}
/* RFC 4291, section 2.2. */
static int six(const char *text, uint8_t *to)
{
    uint8_t parts[16] = {0};
    int at = 0, gap = -1;
    if (text[0] == ':' && text[1] == ':')
        text++;
    while (*text) {
        unsigned value;
        const char *end;
        if (*text == ':') {
            text++;
            if (*text == ':' || (!*text && gap != at)) {
                if (gap >= 0 || *text != ':')
                    return 0;
                gap = at;
                text++;
            } else if (at == 0 && gap < 0) {
                gap = 0;
            }
            continue;
        }
        if (at <= 12 && (end = four(text, parts + at)) && !*end) {
            at += 4;
            text = end;
            continue;
        }
        if (at > 14 || !(text = digits(text, 16, 4, &value)) || (*text && *text != ':'))
            return 0;
        parts[at++] = value >> 8;
        parts[at++] = value;
    }
    if (gap < 0 ? at != 16 : at > 14)
        return 0;
    memset(to, 0, 16);
    if (gap < 0)
        gap = at;
    memcpy(to, parts, gap);
    memcpy(to + 16 - (at - gap), parts + gap, at - gap);
    return 1;
}
int inet_pton(int family, const char *text, void *address)
{
    uint8_t bytes[16];
    const char *end;
    switch (family) {
    case AF_INET:
        if (!(end = four(text, bytes)) || *end)
            return 0;
        memcpy(address, bytes, 4);
        return 1;
    case AF_INET6: return six(text, address);
    default: return __pebble_failed(-EAFNOSUPPORT);
    }
}
const char *inet_ntop(int family, const void *address, char *text, socklen_t size)
{
    char out[INET6_ADDRSTRLEN], *end = out;
    const uint8_t *b = address;
    if (family == AF_INET) {
        snprintf(out, sizeof out, "%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
    } else if (family == AF_INET6) {
        /* The longest run of zeros, of two at least, is left out (RFC 5952). */
        int best = -1, length = 1;
        for (int n = 0; n < 8; n++) {
            int run = 0;
            while (n + run < 8 && !b[2 * (n + run)] && !b[2 * (n + run) + 1])
                run++;
            if (run > length) {
                best = n;
                length = run;
            }
        }
        for (int n = 0; n < 8; n++) {
            if (n == best) {
                *end++ = ':';
                if (n + length == 8)
                    *end++ = ':';
                n += length - 1;
            } else {
                end += sprintf(end, "%s%x", n ? ":" : "", b[2 * n] << 8 | b[2 * n + 1]);
            }
        }
        *end = 0;
    } else {
        __pebble_failed(-EAFNOSUPPORT);
        return NULL;
    }
    if (strlen(out) >= size) {
        __pebble_failed(-ENOSPC);
        return NULL;
    }
    return strcpy(text, out);
}
/* What etc/hosts says of a name: lines of an address and its names. */
static void hosts(const char *node, int family, struct found *found)
{
    char line[512];
    FILE *file = fopen("/etc/hosts", "r");
    if (!file)
        return;
    while (found->count < sizeof found->addresses / sizeof *found->addresses && fgets(line, sizeof line, file)) {
        struct address *to = &found->addresses[found->count];
        char *rest = NULL, *word;
        line[strcspn(line, "#")] = 0;
        if (!(word = strtok_r(line, " \t\r\n", &rest)))
            continue;
        int is = inet_pton(AF_INET, word, to->bytes) == 1 ? AF_INET : inet_pton(AF_INET6, word, to->bytes) == 1 ? AF_INET6 : AF_UNSPEC;
        if (is == AF_UNSPEC || (family != AF_UNSPEC && family != is))
            continue;
        while ((word = strtok_r(NULL, " \t\r\n", &rest)))
            if (!strcasecmp(word, node)) {
                to->family = is == AF_INET ? FAMILY_IPV4 : FAMILY_IPV6;
                found->count++;
                break;
            }
    }
    fclose(file);
}
/* The addresses of a name: of etc/hosts, or by the network's name servers. */
static int resolve(const char *node, int family, struct found *found)
{
    struct {
        char text[NAMELEN];
    } __attribute__((aligned(64))) name;
    memset(&name, 0, sizeof name);
    hosts(node, family, found);
    if (found->count)
        return 0;
    if (!copy_name(name.text, node))
        return EAI_NONAME;
    int kind = family == AF_UNSPEC ? FAMILY_NONE : family == AF_INET ? FAMILY_IPV4 : FAMILY_IPV6;
    word result = CALLED(internet_resolve, PEBBLE_INTERNET_RESOLVE, through, pebble_internet_resolve(through, &name, kind, found));
    if (result >= 0)
        return 0;
    switch (result) {
    case -ENOENT:
    case -EINVAL: return EAI_NONAME;
    case -EAGAIN:
    case -ETIMEDOUT: return EAI_AGAIN;
    case -ENOMEM: return EAI_MEMORY;
    default: return EAI_FAIL;
    }
}
/* The addresses that a node has without a look at names, where it is one; -1: it is a name. */
static int known(const char *node, int family, int flags, struct found *found)
{
    struct address *to = found->addresses;
    if (!node) {
        /* Where others are listened to, or this machine itself: of both families where none is wanted. */
        for (int is = AF_INET; is; is = is == AF_INET ? AF_INET6 : 0) {
            if (family != AF_UNSPEC && family != is)
                continue;
            to->family = is == AF_INET ? FAMILY_IPV4 : FAMILY_IPV6;
            if (!(flags & AI_PASSIVE))
                inet_pton(is, is == AF_INET ? "127.0.0.1" : "::1", to->bytes);
            to = &found->addresses[++found->count];
        }
        return 0;
    }
    int is = inet_pton(AF_INET, node, to->bytes) == 1 ? AF_INET : inet_pton(AF_INET6, node, to->bytes) == 1 ? AF_INET6 : AF_UNSPEC;
    if (is == AF_UNSPEC)
        return flags & AI_NUMERICHOST ? EAI_NONAME : -1;
    to->family = is == AF_INET ? FAMILY_IPV4 : FAMILY_IPV6;
    found->count = 1;
    return family == AF_UNSPEC || family == is ? 0 : EAI_NONAME;
}
/* Puts an address behind the others of a list, for each kind of sockets that is wanted; where the next one goes, or NULL: no memory. */
static struct addrinfo **told(struct addrinfo **last, const struct address *address, const struct addrinfo *hints)
{
    static const struct {
        int type, protocol;
    } kinds[] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}};
    for (int n = 0; n < 2; n++) {
        if (hints && ((hints->ai_socktype && hints->ai_socktype != kinds[n].type) || (hints->ai_protocol && hints->ai_protocol != kinds[n].protocol)))
            continue;
        struct {
            struct addrinfo info;
            struct sockaddr_storage address;
        } *one = calloc(1, sizeof *one);
        if (!one)
            return NULL;
        one->info.ai_family = address->family == FAMILY_IPV6 ? AF_INET6 : AF_INET;
        one->info.ai_socktype = kinds[n].type;
        one->info.ai_protocol = kinds[n].protocol;
        one->info.ai_addr = (struct sockaddr *)&one->address;
        one->info.ai_addrlen = sizeof one->address;
        __pebble_told(address, one->info.ai_addr, &one->info.ai_addrlen);
        *last = &one->info;
        last = &one->info.ai_next;
    }
    return last;
}
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **to)
{
    struct found found = {0};
    int family = hints ? hints->ai_family : AF_UNSPEC;
    char *end = "";
    unsigned long port = service ? strtoul(service, &end, 10) : 0;
    if (*end || port > 65535 || (service && !*service))
        return EAI_SERVICE;
    if (!node && !service)
        return EAI_NONAME;
    if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6)
        return EAI_FAMILY;
    int error = known(node, family, hints ? hints->ai_flags : 0, &found);
    if (error == -1)
        error = resolve(node, family, &found);
    if (error)
        return error;
    struct addrinfo *first = NULL, **last = &first;
    for (unsigned n = 0; n < found.count && last; n++) {
        found.addresses[n].port = port;
        last = told(last, &found.addresses[n], hints);
    }
    if (!last || !first) {
        freeaddrinfo(first);
        return last ? EAI_SOCKTYPE : EAI_MEMORY;
    }
    *to = first;
    return 0;
}
void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *next = list->ai_next;
        free(list);
        list = next;
    }
}
const char *gai_strerror(int error)
{
    switch (error) {
    case 0: return "no error";
    case EAI_NONAME: return "no such name";
    case EAI_AGAIN: return "no name server answers now";
    case EAI_FAMILY: return "no such family of addresses";
    case EAI_SERVICE: return "a service is a number";
    case EAI_SOCKTYPE: return "there are no sockets of that kind";
    case EAI_MEMORY: return "out of memory";
    default: return "names can not be looked up";
    }
}
