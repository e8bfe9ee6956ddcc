/* The servers, as apps/bench/services/responder.rs has them for Pebble, each a process; for HTTP, lighttpd and nginx as Debian ships them. */
#include "services.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ECHO = 7, STREAM_ECHO = 8, SINK = 9, SOURCE = 10, LIGHTTPD = 80, NGINX = 81 };
/* How often a server is asked whether it is there, 10 ms apart. */
#define ATTEMPTS 1000

static char buffer[65536] __attribute__((aligned(4096)));

static void internet_address(struct sockaddr *to, const char *address)
{
    struct sockaddr_in *in = (struct sockaddr_in *)to;
    in->sin_family = AF_INET;
    inet_pton(AF_INET, address, &in->sin_addr);
}
static void interface(int control, const char *name, const char *address, const char *mask)
{
    struct ifreq request = {0};
    for (int n = 0; name[n]; n++)
        request.ifr_name[n] = name[n];
    internet_address(&request.ifr_addr, address);
    CHECK(ioctl(control, SIOCSIFADDR, &request), name);
    internet_address(&request.ifr_netmask, mask);
    CHECK(ioctl(control, SIOCSIFNETMASK, &request), name);
    CHECK(ioctl(control, SIOCGIFFLAGS, &request), name);
    request.ifr_flags |= IFF_UP;
    CHECK(ioctl(control, SIOCSIFFLAGS, &request), name);
}
/* Those that QEMU's network expects. */
static void addresses(void)
{
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(control, "socket");
    interface(control, "lo", "127.0.0.1", "255.0.0.0");
    interface(control, "eth0", "10.0.2.15", "255.255.255.0");
    struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
    internet_address(&route.rt_gateway, "10.0.2.2");
    internet_address(&route.rt_dst, "0.0.0.0");
    internet_address(&route.rt_genmask, "0.0.0.0");
    CHECK(ioctl(control, SIOCADDRT, &route), "the route");
    close(control);
}
static int bound(int type, int port)
{
    int listener = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    CHECK(listener, "socket");
    CHECK(bind(listener, (struct sockaddr *)&here, sizeof here), "bind");
    if (type == SOCK_STREAM)
        CHECK(listen(listener, 16), "listen");
    return listener;
}
static void echo_datagrams(int socket)
{
    for (;;) {
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        ssize_t count = recvfrom(socket, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &size);
        MARK(ARRIVED);
        if (count >= 0)
            sendto(socket, buffer, count, 0, (struct sockaddr *)&from, size);
    }
}
static int write_all(int client, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t taken = write(client, bytes, count);
        if (taken < 0)
            return -1;
        bytes += taken, count -= taken;
    }
    return 0;
}
static void echo(int client)
{
    for (ssize_t count; (count = read(client, buffer, sizeof buffer)) > 0;)
        if (write_all(client, buffer, count) < 0)
            return;
}
/* Reads everything, and says so with one byte. */
static void sink(int client)
{
    while (read(client, buffer, sizeof buffer) > 0)
        ;
    write_all(client, "x", 1);
}
/* Reads how many KiB, and sends as many. */
static void source(int client)
{
    uint64_t kib;
    while (recv(client, &kib, sizeof kib, MSG_WAITALL) == sizeof kib)
        for (uint64_t left = kib * 1024; left > 0;) {
            size_t count = left < sizeof buffer ? left : sizeof buffer;
            if (write_all(client, buffer, count) < 0)
                return;
            left -= count;
        }
}
/* A process that serves one client after the other. How one client ends is its affair. */
static void serve(int port, void (*client)(int))
{
    int listener = bound(SOCK_STREAM, port), now = 1;
    pid_t child = fork();
    CHECK(child, "fork");
    if (child > 0) {
        close(listener);
        return;
    }
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
        client(connection);
        close(connection);
    }
}
static void run(char *const arguments[])
{
    pid_t child = fork();
    CHECK(child, "fork");
    if (child == 0) {
        execv(arguments[0], arguments);
        fail(arguments[0]);
    }
}
static void until_there(int port)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int probe = socket(AF_INET, SOCK_STREAM, 0);
        int result = connect(probe, (struct sockaddr *)&there, sizeof there);
        close(probe);
        if (result == 0)
            return;
        usleep(10000);
    }
    fail("a server does not take connections");
}
void network(void)
{
    addresses();
    int datagrams = bound(SOCK_DGRAM, ECHO);
    pid_t child = fork();
    CHECK(child, "fork");
    if (child == 0)
        echo_datagrams(datagrams);
    close(datagrams);
    serve(STREAM_ECHO, echo);
    serve(SINK, sink);
    serve(SOURCE, source);
    run((char *[]){"/usr/sbin/lighttpd", "-f", "/etc/lighttpd.conf", NULL});
    run((char *[]){"/usr/sbin/nginx", "-c", "/etc/nginx.conf", NULL});
    until_there(LIGHTTPD);
    until_there(NGINX);
}
