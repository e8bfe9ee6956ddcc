/* Memory that two machines share, over the network. Each page can be written on one of them, or read on both, and what the one has written
   the other reads, in the order in which it was written.

   ./pebble exec --net tcp:7000:7000 apps/examples/shared-memory.c 200
   ./pebble exec --net user apps/examples/shared-memory.c 200 10.0.2.2 7000

   The first has the pages when all begins, and keeps the order in which they move. Each asks the other by a connection of its own, and answers
   what comes by the other's, in a thread above the one that computes. Both count the same words up, each 200 times, with Peterson's
   algorithm (1981) for a lock: it needs nothing but memory that reads and writes in order. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pebble.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 4
#define FIRST 0x18000000 /* in nobody's way: between the heap and the devices */
#define STORE 15         /* cause of a fault */

enum state { ABSENT, READABLE, OWN };
/* What is asked for a page: to read it, to write it, and, of the first machine, to know that it has been mapped. The end. */
enum { TO_READ, TO_WRITE, MAPPED, END };
struct request {
    unsigned char what, page;
};
static char *const memory = (char *)FIRST;
static enum state states[PAGES];
/* Who holds a page's lock decides where it is. The first machine's: a page is with one of both, and on its way for one. */
static int locks[PAGES];
static int is_first, asks, answers;
static _Alignas(PAGE) char fetched[PAGE], given[PAGE];

static int all(ssize_t (*move)(int, void *, size_t), int stream, void *bytes, size_t left)
{
    for (ssize_t done; left > 0; bytes = (char *)bytes + done, left -= done)
        if ((done = move(stream, bytes, left)) <= 0)
            return -1;
    return 0;
}
static ssize_t put(int stream, void *bytes, size_t count)
{
    return write(stream, bytes, count);
}
/* The other one has asked for a page: its bytes, which are left here to be read, or not at all. Whoever computes here waits meanwhile, for
   this thread's priority is higher and it does not wait. */
static int give(int page, int what)
{
    char *at = memory + page * PAGE;
    memcpy(given, at, PAGE);
    states[page] = what == TO_READ ? READABLE : ABSENT;
    return what == TO_READ ? page_map(get_asid(), at, given, PAGE_READ) : page_unmap(get_asid(), at);
}
static void answer(void *nothing)
{
    (void)nothing;
    struct request request;
    while (all(read, answers, &request, sizeof request) == 0 && request.what != END && request.page < PAGES) {
        if (is_first)
            sem_wait(locks[request.page]);
        /* The first may have taken what it asks to write from the other already, which had it to read. */
        int there = states[request.page] != ABSENT;
        if ((there && give(request.page, request.what) < 0) || all(put, answers, given, PAGE) < 0)
            break;
        if (is_first) {
            /* It may be taken back when it is there, not before. */
            if (all(read, answers, &request, sizeof request) < 0 || request.what != MAPPED)
                break;
            sem_post(locks[request.page]);
        }
    }
}
static word bring(word asid, word cause, word address, word pc)
{
    (void)pc;
    int page = (address - FIRST) / PAGE, what = cause == STORE ? TO_WRITE : TO_READ, mapped;
    char *at = memory + page * PAGE;
    struct request request = {what, page};
    if (is_first)
        sem_wait(locks[page]);
    /* It may have come while this thread waited. */
    if (states[page] == OWN || (states[page] == READABLE && what == TO_READ)) {
        mapped = 0;
    } else {
        if (all(put, asks, &request, sizeof request) < 0 || all(read, asks, fetched, PAGE) < 0)
            return -EFAULT;
        states[page] = what == TO_WRITE ? OWN : READABLE;
        mapped = page_map(asid, at, fetched, what == TO_WRITE ? PAGE_READ | PAGE_WRITE : PAGE_READ);
        request.what = MAPPED;
        if (!is_first && all(put, asks, &request, sizeof request) < 0)
            return -EFAULT;
    }
    if (is_first)
        sem_post(locks[page]);
    return mapped;
}
/* Two connections: by the first the first machine asks. */
static int connected(const char *host, const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port ? atoi(port) : 7000)};
    int listener = is_first ? socket(AF_INET, SOCK_STREAM, 0) : -1, streams[2];
    if (is_first && (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 2) < 0))
        return -1;
    if (!is_first)
        inet_pton(AF_INET, host, &address.sin_addr);
    if (is_first)
        fprintf(stderr, "waiting for the other machine\n");
    for (int n = 0; n < 2; n++) {
        char number = n;
        if (is_first) {
            streams[n] = accept(listener, NULL, NULL);
            if (streams[n] < 0 || all(read, streams[n], &number, 1) < 0 || number != n)
                return -1;
        } else {
            streams[n] = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(streams[n], (struct sockaddr *)&address, sizeof address) < 0 || write(streams[n], &number, 1) != 1)
                return -1;
        }
    }
    asks = streams[!is_first];
    answers = streams[is_first];
    return 0;
}
/* What both have: a lock, and on other pages what it is for. */
struct shared {
    volatile int wants[2], turn, done[2];
    _Alignas(PAGE) volatile long counters[2][PAGE / sizeof(long)];
};
int main(int argc, char **argv)
{
    struct shared *shared = (struct shared *)memory;
    int times = argc > 1 ? atoi(argv[1]) : 200, own, thread;
    is_first = argc < 4;
    own = !is_first;
    for (int page = 0; page < PAGES; page++) {
        locks[page] = sem_create(1);
        if (is_first && page_map(get_asid(), memory + page * PAGE, NULL, PAGE_READ | PAGE_WRITE) < 0)
            return 1;
        states[page] = is_first ? OWN : ABSENT;
    }
    set_priority(10);
    if (pager_register(get_asid(), memory, sizeof(struct shared), bring) < 0 || connected(argv[2], argv[3]) < 0 ||
        (thread = thread_create(answer, NULL, 20)) < 0) {
        perror("no other machine");
        return 1;
    }
    for (int n = 0; n < times; n++) {
        shared->wants[own] = 1;
        shared->turn = !own;
        while (shared->wants[!own] && shared->turn != own)
            ;
        for (int which = 0; which < 2; which++)
            shared->counters[which][which]++;
        shared->wants[own] = 0;
    }
    shared->done[own] = 1;
    while (!shared->done[!own])
        ;
    long counted[2] = {shared->counters[0][0], shared->counters[1][1]};
    printf("counted to %ld and %ld\n", counted[0], counted[1]);
    fflush(stdout);
    /* The other one may still look: the second machine says first that it does not any more, and is told that nobody will ask it. */
    struct request end = {END, 0};
    if (!is_first)
        all(put, asks, &end, sizeof end);
    thread_join(thread);
    if (is_first) {
        all(put, asks, &end, sizeof end);
        while (read(answers, &end, sizeof end) > 0)
            ;
    }
    return counted[0] != 2 * times || counted[1] != 2 * times;
}
