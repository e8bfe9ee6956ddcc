/* An array that is larger than the memory that is used for it: pages that were not touched for longest lie on the disk.

   ./pebble disk create swap.disk; ./pebble exec --disk swap.disk apps/examples/larger.c [PAGES [IN-MEMORY]] */
#include <fcntl.h>
#include <pebble.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE  4096
#define FIRST 0x18000000 /* in nobody's way: between the heap and the devices */
#define MOST  8192

static char *const memory = (char *)FIRST;
static _Alignas(PAGE) char buffer[PAGE];
/* What of a page is where. */
static struct page {
    char there, written, on_disk;
} pages[MOST];
/* Those that are in memory, as a ring; the hand is at the one that came first. */
static int *ring, room, count, hand;
static int disk, read_back, put_out;

/* Makes room for one more: the page that came first leaves, for the disk if it was written since it came from there. */
static int leave(void)
{
    int page = ring[hand];
    char *at = memory + (long)page * PAGE;
    if (pages[page].written) {
        /* The only thread that writes is in here. */
        memcpy(buffer, at, PAGE);
        if (lseek(disk, (off_t)page * PAGE, SEEK_SET) < 0 || write(disk, buffer, PAGE) != PAGE)
            return -1;
        pages[page].on_disk = 1;
        put_out++;
    }
    pages[page].there = pages[page].written = 0;
    return page_unmap(get_asid(), at);
}
/* The fault of the thread that touches a page: it brings the page, or lets it be written. */
static word bring(word asid, word cause, word address, word pc)
{
    (void)pc;
    int page = (address - FIRST) / PAGE, store = cause == 15;
    char *at = memory + (long)page * PAGE;
    struct page *state = &pages[page];
    if (state->there) {
        /* It was read only until now. */
        memcpy(buffer, at, PAGE);
    } else {
        if (count == room) {
            if (leave() < 0)
                return -EFAULT;
        } else {
            count++;
        }
        ring[hand] = page;
        hand = (hand + 1) % room;
        if (!state->on_disk)
            memset(buffer, 0, PAGE);
        else if (lseek(disk, (off_t)page * PAGE, SEEK_SET) < 0 || read(disk, buffer, PAGE) != PAGE)
            return -EFAULT;
        read_back += state->on_disk;
        state->there = 1;
    }
    state->written |= store;
    return page_map(asid, at, buffer, store ? PAGE_READ | PAGE_WRITE : PAGE_READ);
}
static long value(long n)
{
    return n * 2654435761 % 1000003;
}
int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 1024, wrong = 0;
    room = argc > 2 ? atoi(argv[2]) : 64;
    ring = calloc(room, sizeof *ring);
    disk = open("/disk/swap", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (!ring || size > MOST || disk < 0 || pager_register(get_asid(), memory, size * PAGE, bring) < 0) {
        perror("no disk, or no memory");
        return 1;
    }
    long *array = (long *)memory, words = size * PAGE / sizeof(long);
    for (long n = 0; n < words; n += 64)
        array[n] = value(n);
    /* Each page once more, in another order, some of them changed. */
    for (long n = 0; n < size; n++) {
        long at = n * 37 % size * (PAGE / sizeof(long));
        wrong += array[at] != value(at);
        if (n % 3 == 0)
            array[at + 1] = at;
    }
    for (long n = 0; n < size; n++) {
        long page = n * 37 % size, at = page * (PAGE / sizeof(long));
        wrong += array[at] != value(at) || array[at + 1] != (n % 3 == 0 ? at : 0);
    }
    printf("%ld pages, %d of them in memory: %ld words are wrong\n", size, room, wrong);
    fprintf(stderr, "%d pages were put on the disk, %d were read back\n", put_out, read_back);
    return wrong != 0 || put_out < size - room || read_back < size - room;
}
