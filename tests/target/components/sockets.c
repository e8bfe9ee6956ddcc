/* BSD sockets and paths on the disk: echoes streams (port 7000) and datagrams (7001) by poll, keeping what comes in a file on the disk, until
   one says "end"; then connects to the host, by IPv4 and IPv6, and sees that what its manifest does not allow is refused. Arguments: ports of
   the host that answer, by IPv4 and IPv6. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MUST(what)                                                                          \
    do {                                                                                    \
        if (!(what)) {                                                                      \
            printf("line %d: not so: %s (%s)\n", __LINE__, #what, strerror(errno));         \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)
#define REFUSED(what, error) MUST((errno = 0, (what) < 0) && errno == (error))
#define CLIENTS 8

static struct sockaddr_in here(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
}
static int bound(int type, int port)
{
    struct sockaddr_in address = here(port);
    int s, one = 1;
    /* There may be no card yet. */
    while ((s = socket(AF_INET, type, 0)) < 0 && errno == EAGAIN)
        usleep(10000);
    MUST(s >= 0);
    MUST(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0);
    MUST(bind(s, (struct sockaddr *)&address, sizeof address) == 0);
    return s;
}
static void serve(FILE *log)
{
    struct pollfd all[CLIENTS + 2] = {{.fd = bound(SOCK_STREAM, 7000), .events = POLLIN}, {.fd = bound(SOCK_DGRAM, 7001), .events = POLLIN}};
    nfds_t count = 2;
    /* A datagram that does not lie in one page. */
    static char buffer[3 * 4096] __attribute__((aligned(4096)));
    char *across = buffer + 4096 - 700;
    MUST(listen(all[0].fd, 4) == 0);
    MUST(fcntl(all[0].fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(all[0].fd, F_GETFL) & O_NONBLOCK);
    REFUSED(accept(all[0].fd, NULL, NULL), EAGAIN);
    printf("ready\n");
    for (;;) {
        MUST(poll(all, count, -1) > 0);
        if (all[0].revents && count < CLIENTS + 2) {
            struct sockaddr_in from;
            socklen_t size = sizeof from;
            int client = accept4(all[0].fd, (struct sockaddr *)&from, &size, SOCK_NONBLOCK);
            MUST(client >= 0 && size == sizeof from && from.sin_family == AF_INET);
            all[count++] = (struct pollfd){.fd = client, .events = POLLIN};
        }
        if (all[1].revents) {
            struct sockaddr_in from;
            socklen_t size = sizeof from;
            ssize_t bytes = recvfrom(all[1].fd, across, 1500, 0, (struct sockaddr *)&from, &size);
            MUST(bytes >= 0);
            MUST(sendto(all[1].fd, across, bytes, 0, (struct sockaddr *)&from, size) == bytes);
        }
        for (nfds_t n = 2; n < count; n++) {
            if (!all[n].revents)
                continue;
            ssize_t bytes = recv(all[n].fd, buffer, sizeof buffer, 0);
            if (bytes <= 0) {
                MUST(bytes == 0 && close(all[n].fd) == 0);
                all[n--] = all[--count];
                continue;
            }
            MUST(fwrite(buffer, 1, bytes, log) == (size_t)bytes);
            /* The socket does not wait: what has no room is written when there is some. */
            for (ssize_t done = 0; done < bytes;) {
                struct pollfd one = {.fd = all[n].fd, .events = POLLOUT};
                MUST(poll(&one, 1, 20000) == 1);
                ssize_t written = send(one.fd, buffer + done, bytes - done, MSG_NOSIGNAL);
                MUST(written > 0 || errno == EAGAIN);
                done += written > 0 ? written : 0;
            }
            if (bytes == 3 && memcmp(buffer, "end", 3) == 0) {
                for (nfds_t each = 0; each < count; each++)
                    close(all[each].fd);
                return;
            }
        }
    }
}
static void talk(const char *host, const char *port)
{
    struct addrinfo *to, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    char said[6] = "";
    MUST(getaddrinfo(host, port, &hints, &to) == 0);
    int s = socket(to->ai_family, to->ai_socktype, 0);
    MUST(s >= 0 && connect(s, to->ai_addr, to->ai_addrlen) == 0);
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    MUST(getpeername(s, (struct sockaddr *)&peer, &size) == 0 && peer.ss_family == to->ai_family && size == to->ai_addrlen);
    MUST(write(s, "hello", 5) == 5 && recv(s, said, 5, 0) == 5 && strcmp(said, "hello") == 0);
    MUST(shutdown(s, SHUT_WR) == 0 && recv(s, said, 5, 0) == 0 && close(s) == 0);
    freeaddrinfo(to);
    printf("talked to %s\n", host);
}
static void refusals(void)
{
    struct sockaddr_in other = here(0), port = here(81);
    MUST(inet_pton(AF_INET, "10.0.2.3", &other.sin_addr) == 1);
    other.sin_port = htons(53);
    int s = socket(AF_INET, SOCK_STREAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0);
    REFUSED(connect(s, (struct sockaddr *)&other, sizeof other), EACCES);
    REFUSED(bind(s, (struct sockaddr *)&port, sizeof port), EACCES);
    REFUSED(bind(d, (struct sockaddr *)&port, sizeof port), EACCES);
    REFUSED(sendto(d, "x", 1, 0, (struct sockaddr *)&other, sizeof other), EACCES);
    REFUSED(connect(d, (struct sockaddr *)&other, sizeof other), EACCES);
    /* Nobody listens there. */
    inet_pton(AF_INET, "10.0.2.2", &other.sin_addr);
    other.sin_port = htons(1);
    REFUSED(connect(s, (struct sockaddr *)&other, sizeof other), ECONNREFUSED);
    REFUSED(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT);
    REFUSED(socket(77, SOCK_STREAM, 0), EAFNOSUPPORT);
    REFUSED(listen(1, 1), ENOTSOCK);
    REFUSED(listen(-1, 1), EBADF);
    int file = open("plain", O_RDWR | O_CREAT);
    REFUSED(listen(file, 1), ENOTSOCK);
    close(file);
    close(d);
    close(s);
    /* Sockets of one client are few. */
    int all[100], count = 0;
    while (count < 100 && (all[count] = socket(AF_INET, SOCK_STREAM, 0)) >= 0)
        count++;
    MUST(count >= 16 && count < 100);
    while (count > 0)
        close(all[--count]);
    printf("the rest is refused\n");
}
static void disk(void)
{
    struct stat status;
    char text[8] = "";
    MUST(mkdir("/disk/folder", 0777) == 0);
    FILE *file = fopen("/disk/folder/a", "w+");
    MUST(file && fprintf(file, "seven..") == 7 && fflush(file) == 0 && fsync(fileno(file)) == 0);
    MUST(ftruncate(fileno(file), 5) == 0 && fseek(file, 0, SEEK_SET) == 0 && fgets(text, sizeof text, file) && strcmp(text, "seven") == 0);
    MUST(fclose(file) == 0 && rename("/disk/folder/a", "disk/folder/b") == 0 && truncate("/disk/folder/b", 9) == 0);
    MUST(stat("/disk/folder/b", &status) == 0 && status.st_size == 9 && S_ISREG(status.st_mode));
    REFUSED(rename("/disk/folder/b", "/folder"), EXDEV);
    REFUSED(open("/disk/folder/a", O_RDONLY), ENOENT);
    REFUSED(rmdir("/disk/folder"), ENOTEMPTY);
    MUST(chdir("/disk/folder") == 0 && access("b", R_OK) == 0 && chdir("/") == 0);
    DIR *directory = opendir("/disk/folder");
    struct dirent *entry = directory ? readdir(directory) : NULL;
    MUST(entry && strcmp(entry->d_name, "b") == 0 && !readdir(directory) && closedir(directory) == 0);
    MUST(unlink("/disk/folder/b") == 0 && rmdir("/disk/folder") == 0);
    /* What is called much the same is in memory. */
    MUST(mkdir("/diskette", 0777) == 0 && stat("/diskette", &status) == 0 && status.st_dev == 0);
    unsigned char random[2][32] = {{0}};
    MUST(getentropy(random[0], 32) == 0 && getentropy(random[1], 32) == 0 && memcmp(random[0], random[1], 32) != 0);
    printf("the disk has what was written\n");
}
int main(int argc, char **argv)
{
    FILE *log = fopen("/disk/log", "w");
    MUST(argc == 3 && log);
    disk();
    serve(log);
    MUST(fflush(log) == 0 && fsync(fileno(log)) == 0 && fclose(log) == 0);
    talk("10.0.2.2", argv[1]);
    if (strcmp(argv[2], "0") != 0)
        talk("fec0::2", argv[2]);
    refusals();
    return 0;
}
