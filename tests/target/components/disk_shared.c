/* Eight children that write to the disk and sync, and a reader of one page that is cached, for three seconds from when all are ready: how often each came to its turn. Whoever
   waits for a stack of the disk component, or for its lock, has it next: nobody comes five times as often as another. For `services::who_writes_much_lets_others_read`. */
#include <pebble.h>
#include <fcntl.h>
#include <unistd.h>

enum { WRITERS = 8, PAGES = 4 };
static const uint64_t TIME = 3000000000ull;
static char page[4096];

static int opened(const char *path)
{
    int fd = open(path, O_CREAT | O_RDWR, 0644);
    if (fd < 0 || write(fd, page, sizeof page) != sizeof page || fsync(fd) < 0)
        exit(printf("FAILED: %s\n", path));
    return fd;
}
static int ready[2], begin[2];
static int writes(int n)
{
    char path[24];
    uint64_t end;
    snprintf(path, sizeof path, "/disk/writer-%d", n);
    int fd = opened(path), rounds = 0;
    if (write(ready[1], "", 1) != 1 || read(begin[0], &end, sizeof end) != sizeof end)
        return 0;
    for (; hrtime() < end; rounds++) {
        lseek(fd, 0, SEEK_SET);
        for (int k = 0; k < PAGES; k++)
            if (write(fd, page, sizeof page) != sizeof page)
                return 0;
        if (fsync(fd) < 0)
            return 0;
    }
    return rounds;
}
int main(void)
{
    int fd = opened("/disk/read"), children[WRITERS], ends[2], reads = 0, least = 1 << 30, most = 0;
    if (pipe(ends) < 0 || pipe(ready) < 0 || pipe(begin) < 0)
        return 2;
    for (int n = 0; n < WRITERS; n++) {
        children[n] = domain_fork(NULL);
        if (children[n] == 0) {
            int rounds = writes(n);
            exit(write(ends[1], &rounds, sizeof rounds) != sizeof rounds);
        }
    }
    char one;
    for (int n = 0; n < WRITERS; n++)
        if (read(ready[0], &one, 1) != 1)
            return 5;
    uint64_t end = hrtime() + TIME;
    for (int n = 0; n < WRITERS; n++)
        if (write(begin[1], &end, sizeof end) != sizeof end)
            return 6;
    for (; hrtime() < end; reads++)
        if (lseek(fd, 0, SEEK_SET) != 0 || read(fd, page, sizeof page) != sizeof page)
            return 3;
    for (int n = 0; n < WRITERS; n++) {
        int rounds = 0;
        if (read(ends[0], &rounds, sizeof rounds) != sizeof rounds)
            return 4;
        least = rounds < least ? rounds : least, most = rounds > most ? rounds : most;
    }
    printf("%d to %d rounds of who writes, %d reads\n", least, most, reads);
    if (least < 1 || most > 4 * least || reads < least)
        return 1;
    puts("everybody came to his turn");
    return 0;
}
