// expect stdout given without a capability: 9, the page is here: 1
// expect stdout given with one: 2, the page is gone: 14
// expect stdout got without a capability: 9, the page is here: 2
/* A call that fails for its capability, after its pages have gone to the server: they come back, and the next call passes what the
   caller has then. */
#include <pebble.h>
static word first_byte(word cap, char *pages, long bytes) { return pages[0]; }
int main(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        if (portal_register("app.give", "nmk>i", first_byte, 0, 2) || portal_register("app.get", "nmk<i", first_byte, 0, 0))
            exit(1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int give = portal_open("app.give"), get = portal_open("app.get");
    word capability = cap_create(1, 1, 0);
    char *page = (char *)0x18000000;
    page_map(get_asid(), page, 0, PAGE_READ | PAGE_WRITE);
    page[0] = 1;
    word without = invoke_portal(give, 12345l, page, 4096l);
    printf("given without a capability: %ld, the page is here: %d\n", -without, page[0]);
    page[0] = 2;
    word with = invoke_portal(give, capability, page, 4096l);
    printf("given with one: %ld, the page is gone: %d\n", with, -page_unmap(get_asid(), page));
    page_map(get_asid(), page, 0, PAGE_READ | PAGE_WRITE);
    page[0] = 2;
    without = invoke_portal(get, 12345l, page, 4096l);
    printf("got without a capability: %ld, the page is here: %d\n", -without, page[0]);
    domain_kill(server);
    domain_wait(server, &status);
    return 0;
}
