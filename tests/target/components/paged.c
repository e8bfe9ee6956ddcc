/* A server whose memory is its own pager's: each call touches a page that is not there yet. */
#include <pebble.h>

enum { PAGES = 256, START = 0x14000000 };
static _Alignas(4096) word source[512];
static int asid;

static word brings(word client, word cause, word address, word pc)
{
    (void)client, (void)cause, (void)pc;
    source[0] = (address - START) / 4096;
    return page_map(asid, (void *)(address & -4096), source, PAGE_READ);
}
/* The number of the next page, read from it. */
static word reads(void)
{
    static int next;
    int page = next++ % PAGES;
    return *(volatile word *)(START + page * 4096l) == page ? 1 : -EINVAL;
}
int main(void)
{
    asid = get_asid();
    int paged = pager_register(asid, (void *)START, PAGES * 4096l, brings);
    int registered = portal_register("app.paged.reads", "np", reads, NULL, 8);
    if (paged < 0 || registered < 0)
        return printf("no pager: %d %d\n", paged, registered), 1;
    thread_exit();
}
