/* One server, five ways to get at a caller's memory. */
#include <pebble.h>
#include <stdlib.h>

#define PAGE 4096

/* "nmRi": reads a buffer of several pages. */
static word sum(const unsigned char *buffer, long bytes)
{
    word total = 0;
    for (long n = 0; n < bytes; n++)
        total += buffer[n];
    return total;
}
/* "nmWi": fills one. */
static word fill(char *buffer, long bytes)
{
    memset(buffer, 'f', bytes);
    return bytes;
}
/* "nmSi": keeps pages that the caller goes on to write to. */
static volatile int *counter;
static word watch(int *page, long bytes) { return (counter = page) != 0; }
static word watched(void) { return *counter; }
/* "nm>i": takes pages for good. */
static char *mine;
static word take(char *pages, long bytes) { return (mine = pages)[0]; }
/* "nm<i": gives pages away. */
static word give(char *pages, long bytes)
{
    strcpy(pages, "a page of the server's");
    return bytes;
}
static char *page(char first)
{
    char *pages = aligned_alloc(PAGE, PAGE);
    memset(pages, first, PAGE);
    return pages;
}
int main(void)
{
    int ready = sem_create(0), status, server = domain_fork(0);
    if (server == 0) {
        portal_register("app.sum", "nmRi", sum, 0, 1);
        portal_register("app.fill", "nmWi", fill, 0, 0);
        portal_register("app.watch", "nmSi", watch, 0, 0);
        portal_register("app.watched", "nm", watched, 0, 0);
        portal_register("app.take", "nm>i", take, 0, 0);
        portal_register("app.give", "nm<i", give, 0, 0);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    char *buffer = malloc(3 * PAGE);
    printf("filled %ld bytes, ", invoke_portal(portal_open("app.fill"), buffer + 10, 10000l));
    printf("their sum is %ld\n", invoke_portal(portal_open("app.sum"), buffer + 10, 10000l));
    int *shared = (int *)page(0);
    invoke_portal(portal_open("app.watch"), shared, (long)PAGE);
    *shared = 7;
    printf("the server sees %ld\n", invoke_portal(portal_open("app.watched")));
    char *gone = page('g');
    printf("it has taken a page that starts with %c\n", (char)invoke_portal(portal_open("app.take"), gone, (long)PAGE));
    invoke_portal(portal_open("app.give"), gone, (long)PAGE);
    printf("and given %s\n", gone);
    domain_kill(server);
    return domain_wait(server, &status);
}
