/* What getaddrinfo says of names: any, v4 or v6, and a name, as often as wanted; a line each. With /etc/hosts, in which the printer is. */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds that any of them may take but one that no server answers. */
enum { PATIENCE = 15000, SILENCE = 60000 };

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
static void ask(const char *which, const char *name)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    hints.ai_family = strcmp(which, "any") == 0 ? AF_UNSPEC : strcmp(which, "v4") == 0 ? AF_INET : AF_INET6;
    long before = now();
    int error = getaddrinfo(name, "80", &hints, &found);
    long took = now() - before;
    printf("%s %s:", which, name);
    if (error)
        printf(" %s", error == EAI_NONAME ? "EAI_NONAME" : error == EAI_AGAIN ? "EAI_AGAIN" : gai_strerror(error));
    for (struct addrinfo *one = found; one; one = one->ai_next) {
        char text[64];
        const void *at = one->ai_family == AF_INET ? (void *)&((struct sockaddr_in *)one->ai_addr)->sin_addr
                                                   : (void *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr;
        printf(" %s", inet_ntop(one->ai_family, at, text, sizeof text));
    }
    printf(took > (strncmp(name, "silent", 6) == 0 ? SILENCE : PATIENCE) ? " after %ld ms\n" : "\n", took);
    fflush(stdout);
    if (!error)
        freeaddrinfo(found);
}
int main(int count, char **words)
{
    struct addrinfo *found;
    mkdir("/etc", 0777);
    FILE *hosts = fopen("/etc/hosts", "w");
    if (!hosts || fprintf(hosts, "# ours\n192.0.2.99 printer printer.home # on the desk\n") < 0 || fclose(hosts) != 0)
        return 1;
    /* The network's address comes first. */
    for (int n = 0; n < 100 && getaddrinfo("ready.test", "80", NULL, &found) != 0; n++)
        usleep(100000);
    for (int n = 1; n + 1 < count; n += 2)
        ask(words[n], words[n + 1]);
    return 0;
}
