/* Sends back what each connection to port 7000 says, as fast as its peer takes it; who connects to port 7001 is told how many of them are open, and how
   many pages of memory are free. For the campaign `soak`. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A table holds 128 portals of TCP/IP: 32 sockets, of which two listen and one tells. */
enum { MOST = 29, FIRST = 2 };

static struct talk {
    size_t from, to;
    char bytes[4096];
    char ended;
} talks[MOST];
static struct pollfd polled[FIRST + MOST];
static int count;

static int listening(int port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, 16) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        perror("soak: listen");
        exit(1);
    }
    return fd;
}
static void tell(int fd)
{
    char text[80];
    int length = snprintf(text, sizeof text, "%d open, %ld pages free\n", count, sysconf(_SC_AVPHYS_PAGES));
    write(fd, text, length);
    close(fd);
}
static void begin(int fd)
{
    if (count == MOST || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        fprintf(stderr, "soak: one connection too many\n");
        close(fd);
        return;
    }
    memset(&talks[count], 0, sizeof *talks);
    polled[FIRST + count++].fd = fd;
}
/* Whether the connection goes on. */
static int go_on(struct talk *talk, int fd)
{
    if (talk->from == talk->to && !talk->ended) {
        ssize_t got = read(fd, talk->bytes, sizeof talk->bytes);
        if (got < 0)
            return errno == EAGAIN;
        talk->ended = got == 0;
        talk->from = 0;
        talk->to = (size_t)got;
    }
    if (talk->from < talk->to) {
        ssize_t put = write(fd, talk->bytes + talk->from, talk->to - talk->from);
        if (put < 0)
            return errno == EAGAIN;
        talk->from += (size_t)put;
    }
    return talk->from < talk->to || !talk->ended;
}
int main(void)
{
    polled[0].fd = listening(7000);
    polled[1].fd = listening(7001);
    polled[0].events = polled[1].events = POLLIN;
    for (;;) {
        for (int n = 0; n < count; n++)
            polled[FIRST + n].events = talks[n].from < talks[n].to ? POLLOUT : POLLIN;
        if (poll(polled, (nfds_t)(FIRST + count), -1) < 0) {
            perror("soak: poll");
            return 1;
        }
        for (int n = count; n-- > 0;) {
            struct pollfd *of = &polled[FIRST + n];
            if (!of->revents || go_on(&talks[n], of->fd))
                continue;
            close(of->fd);
            *of = polled[FIRST + --count];
            talks[n] = talks[count];
        }
        for (int n = 0, fd; n < FIRST; n++) {
            while ((fd = accept(polled[n].fd, NULL, NULL)) >= 0)
                n == 0 ? begin(fd) : tell(fd);
            if (errno != EAGAIN) {
                perror("soak: accept");
                sleep(1);
            }
        }
    }
}
