/*
 * Every driver is replaced, again and again, while its clients use it: random bytes and the time by calls of it, blocks by files on the disk, the card by a TCP connection to an echo, the
 * console by lines with numbers. None of these sees an error. Arguments: the echo's port, and how many times.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../include/all_holds.h"
#include "../include/opened.h"

#define MUST(what)                                                                              \
    do                                                                                          \
        if (!(what)) {                                                                          \
            printf("line %d: not so: %s (%s)\n", __LINE__, #what, pebble_strerror(-errno));      \
            exit(1);                                                                            \
        }                                                                                       \
    while (0)
enum { SIZE = 20000, USERS = 5, PAUSE = 2000000 };
static const char *const drivers[USERS] = {"entropy", "clock", "block", "network", "console"};
static volatile int over;
static volatile unsigned long uses[USERS];

static void patterned(unsigned char *bytes, unsigned seed)
{
    for (int n = 0; n < SIZE; n++)
        bytes[n] = (seed + n) * 2654435761u >> 24;
}
static void random_bytes(void *unused)
{
    int portal = opened("entropy.read");
    static _Alignas(4096) unsigned char bytes[4096];
    (void)unused;
    for (; !over; uses[0]++, hrsleep(100000)) {
        word done = invoke_portal(portal, bytes, 64l);
        if (done <= 0)
            printf("random bytes: %ld\n", done), exit(1);
    }
}
static void time_of_day(void *unused)
{
    int portal = opened("clock.time");
    word before = 0;
    (void)unused;
    for (; !over; uses[1]++, hrsleep(100000)) {
        word now = invoke_portal(portal);
        if (now < before)
            printf("the time: %ld after %ld\n", now, before), exit(1);
        before = now;
    }
}
static void files(void *unused)
{
    static unsigned char written[SIZE], read_back[SIZE];
    (void)unused;
    for (; !over; uses[2]++) {
        patterned(written, uses[2]);
        int file = open("/disk/file", O_RDWR | O_CREAT | O_TRUNC, 0600);
        MUST(file >= 0 && write(file, written, SIZE) == SIZE && fsync(file) == 0 && lseek(file, 0, SEEK_SET) == 0);
        MUST(read(file, read_back, SIZE) == SIZE && memcmp(written, read_back, SIZE) == 0 && close(file) == 0);
    }
}
static int echo;
static void connection(void *unused)
{
    static unsigned char sent[SIZE], back[SIZE];
    (void)unused;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(echo)};
    MUST(inet_pton(AF_INET, "10.0.2.2", &to.sin_addr) == 1);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    MUST(s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to) == 0);
    for (; !over; uses[3]++) {
        patterned(sent, uses[3]);
        for (int done = 0, got; done < SIZE; done += got)
            MUST((got = send(s, sent + done, SIZE - done < 4000 ? SIZE - done : 4000, 0)) > 0);
        for (int done = 0, got; done < SIZE; done += got)
            MUST((got = recv(s, back + done, SIZE - done, 0)) > 0);
        MUST(memcmp(sent, back, SIZE) == 0);
    }
    close(s);
}
static void lines(void *unused)
{
    (void)unused;
    for (char line[32]; !over; uses[4]++, hrsleep(PAUSE)) {
        int length = snprintf(line, sizeof line, "line %lu\n", uses[4]);
        MUST(write(1, line, length) == length);
    }
}
int main(int argc, char **argv)
{
    static void (*const users[USERS])(void *) = {random_bytes, time_of_day, files, connection, lines};
    int threads[USERS], check = portal_open("inspect.check");
    MUST(argc == 3);
    echo = atoi(argv[1]);
    for (int n = 0; n < USERS; n++)
        threads[n] = thread_create(users[n], 0, -1);
    for (int round = 0; round < atoi(argv[2]); round++)
        for (int n = 0; n < USERS; n++) {
            char in_the_way[NAMELEN] = "";
            unsigned long before[USERS];
            int result = component_replace(drivers[n], 0, in_the_way);
            if (result < 0)
                printf("%s, \"%s\": %s\n", drivers[n], in_the_way, pebble_strerror(result)), exit(1);
            if (!all_holds(check, drivers[n]))
                exit(1);
            /* Each is used between any two. */
            memcpy(before, (void *)uses, sizeof before);
            for (int k = 0; k < USERS; k++)
                while (uses[k] == before[k])
                    hrsleep(PAUSE / 4);
        }
    over = 1;
    for (int n = 0; n < USERS; n++)
        thread_join(threads[n]);
    printf("%lu lines\nall drivers were replaced\n", uses[4]);
    return 0;
}
