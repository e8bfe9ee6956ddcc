// expect stdout W longer than eight pages: 22
// expect stdout W beyond the end of its memory: 14
// expect stdout W that wraps: 14
// expect stdout R of the last page of its gigabyte: 0, and beyond: 14
// expect stdout W over read-only memory: 14, R: 0
// expect stdout S not at a page: 22 22, longer than 31 pages: 22, of nothing: 22
// expect stdout S of what is not there: 14, of the code: 14
// expect stdout > of what is not there: 14, over a stub: 14, in a window: 14
// expect stdout < into a device's addresses: 14, into a window's: 14
// expect stdout nothing was lost: pages
/* What a window can not be, and what can not change hands: an error to the caller before the server runs. */
#include <pebble.h>
#include <stdlib.h>
static word never(char *pages, long bytes) { return 99; }
static word twice(char *window, char *pages, long bytes) { return 99; }
static char pages[40 * 4096] __attribute__((aligned(4096)));
static const char constant[8192] __attribute__((aligned(4096))) = "constant";
static word ok(const char *pages, long bytes) { return pages[0] != 'c'; }
int main(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        if (portal_register("app.W", "nmWi", never, 0, 1) || portal_register("app.R", "nmRi", ok, 0, 0)
            || portal_register("app.S", "nmSi", never, 0, 0) || portal_register("app.give", "nm>i", never, 0, 0)
            || portal_register("app.get", "nm<i", never, 0, 0) || portal_register("app.both", "nmr>i", twice, 0, 0))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int W = portal_open("app.W"), R = portal_open("app.R"), S = portal_open("app.S"), give = portal_open("app.give");
    int get = portal_open("app.get"), both = portal_open("app.both");
    strcpy(pages, "pages");
    printf("W longer than eight pages: %ld\n", -invoke_portal(W, pages, 8 * 4096l + 1));
    char *end = (char *)0x18000000;
    page_map(get_asid(), end, 0, PAGE_READ | PAGE_WRITE);
    printf("W beyond the end of its memory: %ld\n", -invoke_portal(W, end + 4000, 97l));
    printf("W that wraps: %ld\n", -invoke_portal(W, -8l, 16l));
    /* A stub, which everybody may read. */
    char *last = (char *)0x3ffff000;
    printf("R of the last page of its gigabyte: %d, and beyond: %ld\n", invoke_portal(R, last, 4096l) < 0, -invoke_portal(R, last, 8192l));
    printf("W over read-only memory: %ld, R: %ld\n", -invoke_portal(W, constant, 16l), invoke_portal(R, constant, 16l));
    printf("S not at a page: %ld %ld, longer than 31 pages: %ld, of nothing: %ld\n", -invoke_portal(S, pages + 8, 4096l),
           -invoke_portal(S, pages, 100l), -invoke_portal(S, pages, 32 * 4096l), -invoke_portal(S, pages, 0l));
    printf("S of what is not there: %ld, of the code: %ld\n", -invoke_portal(S, 0x19000000l, 4096l),
           -invoke_portal(S, (word)main & -4096l, 4096l));
    printf("> of what is not there: %ld, over a stub: %ld, in a window: %ld\n", -invoke_portal(give, 0x19000000l, 4096l),
           -invoke_portal(give, 0x3ffff000l, 4096l), -invoke_portal(both, pages, pages, 4096l));
    printf("< into a device's addresses: %ld, into a window's: %ld\n", -invoke_portal(get, 0x28000000l, 4096l),
           -invoke_portal(get, 0x40000000l, 4096l));
    printf("nothing was lost: %s\n", pages);
    domain_kill(server);
    domain_wait(server, &status);
    return 0;
}
