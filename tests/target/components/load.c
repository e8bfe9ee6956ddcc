/*
 * A client of what faults are injected into: it does one thing again and again, each time checks what has come of it, and tells how often that was right. Which
 * thing is its name's. What it has open of a server that has ended, or has answered wrongly, it opens anew.
 */
#define PEBBLE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <pebble.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../include/load.h"
#include "../include/opened.h"

enum { WRONG = -1, BYTES = 5000 };
static struct progress progress;
static unsigned char sent[BYTES], received[BYTES];
static word turn;

/* Bytes of this turn's, which are those of no other soon. */
static void draw(unsigned char *bytes, int count)
{
    uint64_t state = (turn + 1) * 0x9e3779b97f4a7c15u;
    for (int n = 0; n < count; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[n] = state >> 33;
    }
}
/* What an operation has come to: 0: as it should, WRONG: done, and not right, else its error. */
static int error(void) { return errno > 0 ? errno : EIO; }

static int ends[2] = {-1, -1};
static void close_pipe(void)
{
    for (int n = 0; n < 2; n++)
        if (ends[n] >= 0)
            close(ends[n]), ends[n] = -1;
}
/* Some bytes through a pipe, in two pieces. */
static int pipes(void)
{
    if (ends[0] < 0 && pipe(ends) < 0)
        return error();
    int count = 1 + turn * 37 % 900, had = 0;
    draw(sent, count);
    if (write(ends[1], sent, count) != count)
        return error();
    while (had < count) {
        ssize_t got = read(ends[0], received + had, had ? (size_t)(count - had) : (size_t)(count + 1) / 2);
        if (got <= 0 || got > count - had)
            return got < 0 ? error() : WRONG;
        had += got;
    }
    return memcmp(sent, received, count) ? WRONG : 0;
}
static int file = -1;
static void close_file(void)
{
    if (file >= 0)
        close(file), file = -1;
}
/* A block of a file, read back. */
static int blocks(void)
{
    if (file < 0 && (file = open("load", O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0)
        return error();
    off_t at = turn * 1237 % 20000;
    int count = 1 + turn * 91 % BYTES;
    draw(sent, count);
    if (pwrite(file, sent, count, at) != count)
        return error();
    ssize_t got = pread(file, received, count, at);
    if (got < 0)
        return error();
    return got != count || memcmp(sent, received, count) ? WRONG : 0;
}
static int there = -1, back = -1;
static atomic_long answered;
static void answers(void *unused)
{
    for (;;)
        if (sem_wait(there) == 0) {
            answered++;
            sem_post(back);
        }
}
/* Another thread's turn, and its answer. */
static int turns(void)
{
    if (there < 0 && ((there = sem_create(0)) < 0 || (back = sem_create(0)) < 0 || thread_create(answers, 0, -1) < 0))
        return EAGAIN;
    long before = answered;
    int result = sem_post(there);
    if (result == 0)
        result = sem_timedwait(back, 500 * MILLISECOND);
    return result < 0 ? -result : answered != before + 1 ? WRONG : 0;
}
enum { SERVERS = 3, CALLS = 3 };
/* Calls with words and with windows of servers kept apart in three ways, by portals that heal. */
static int words(void)
{
    static const char *const server[SERVERS] = {"plain", "software", "super"}, *const call[CALLS] = {"add", "digest", "fill"};
    static int portal[SERVERS][CALLS];
    int n = turn % SERVERS, count = 1 + turn * 53 % BYTES;
    for (int c = 0; c < CALLS; c++)
        if (portal[n][c] <= 0) {
            char name[NAMELEN];
            snprintf(name, sizeof name, "%s.%s", server[n], call[c]);
            if ((portal[n][c] = portal_open(name)) < 0)
                return -portal[n][c];
        }
    draw(sent, count);
    word sum = invoke_portal(portal[n][0], turn, 7l), all = 1;
    if (sum != turn + 7)
        return sum == -EDEAD ? EDEAD : WRONG;
    for (int b = 0; b < count; b++)
        all = all * 31 + sent[b];
    word digest = invoke_portal(portal[n][1], sent, (word)count);
    if (digest != all)
        return digest == -EDEAD ? EDEAD : WRONG;
    int with = turn & 0xff;
    word filled = invoke_portal(portal[n][2], received, (word)count, (word)with);
    if (filled != count)
        return filled == -EDEAD ? EDEAD : WRONG;
    for (int b = 0; b < count; b++)
        if (received[b] != with)
            return WRONG;
    return 0;
}
/* A capability, a weaker one, and that both say what they are. */
static int keys(void)
{
    struct cap_info info;
    word strong = cap_create(turn, 7, 0), weak = strong < 0 ? strong : cap_reduce(strong, 5, 0);
    if (weak < 0)
        return -weak;
    int result = cap_info(weak, &info);
    int right = result < 0 || (info.object == (unsigned long)turn && info.rights == 5);
    if (result == 0)
        result = cap_revoke(strong);
    if (result >= 0)
        right &= result == 1 && (result = cap_drop(strong)) == 0;
    return result < 0 && result != WRONG ? -result : right ? 0 : WRONG;
}
/* The time of day goes on as the timer's does. */
static int times(void)
{
    static unsigned long long ticks;
    static time_t first;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0)
        return error();
    if (!first)
        first = now.tv_sec, ticks = hrtime();
    long passed = (long)((hrtime() - ticks) / (1000 * MILLISECOND)), said = (long)(now.tv_sec - first);
    return said < passed - 1 || said > passed + 1 ? WRONG : 0;
}
/* A line on the console. */
static int lines(void)
{
    char line[80];
    int length = snprintf(line, sizeof line, "turn %ld of many, each on a line\n", turn);
    ssize_t written = write(1, line, length);
    return written < 0 ? error() : written != length ? WRONG : 0;
}

static const struct role {
    const char *name;
    int (*once)(void);
    void (*close)(void);
} role[] = {{"pipes", pipes, close_pipe}, {"blocks", blocks, close_file}, {"turns", turns, 0}, {"words", words, 0}, {"keys", keys, 0}, {"times", times, 0}, {"lines", lines, 0}};

static word tell(struct progress *out, word anew)
{
    *out = progress;
    if (anew)
        progress.longest = progress.other = progress.wrong = progress.dead = 0;
    return 0;
}
static void note(int result)
{
    unsigned long long now = hrtime();
    if (result == WRONG)
        progress.wrong++;
    else if (result == EDEAD)
        progress.dead++;
    else if (result != 0)
        progress.other++, progress.error = result;
    else {
        if (progress.right++ && now - progress.last > progress.longest)
            progress.longest = now - progress.last;
        progress.last = now;
    }
}
int main(int argc, char **argv)
{
    static _Alignas(NAMELEN) char name[NAMELEN];
    snprintf(name, sizeof name, "%s.progress", argv[0]);
    portal_register(name, "npwi", tell, 0, 2);
    const struct role *own = role;
    while (strcmp(own->name, argv[0]))
        own++;
    for (;; turn++) {
        int result = own->once();
        note(result);
        if (result && own->close)
            own->close();
        hrsleep(MILLISECOND);
    }
}
