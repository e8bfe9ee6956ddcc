// expect stdout in the window: 16 16
// expect stdout the copy keeps what was there, 0
// expect stdout after it: 0
/* A page that a window shows is not replaced or taken away under the server, and a copy of it does not share its frame. */
#include <pebble.h>
static char page[4096] __attribute__((aligned(4096)));
static char other[4096] __attribute__((aligned(4096)));
static char *const copy = (char *)0x18000000;
static int entered, leave;
static word hold(char *window)
{
    sem_post(entered);
    sem_wait(leave);
    window[0] = 'w';
    return 0;
}
static void call(void *portal) { invoke_portal((int)(long)portal, page); }
int main(void)
{
    entered = sem_create(0);
    leave = sem_create(0);
    int ready = sem_create(0), own = get_asid(), status;
    int child = domain_fork(0);
    if (child == 0) {
        int end = sem_create(0);
        if (portal_register("app.hold", "nmw", hold, 0, 1))
            exit(1);
        sem_post(ready);
        sem_wait(end);
    }
    sem_wait(ready);
    page[0] = 'p';
    int thread = thread_create(call, (void *)(long)portal_open("app.hold"), -1);
    sem_wait(entered);
    int unmapped = page_unmap(own, page), replaced = page_map(own, page, other, PAGE_READ);
    printf("in the window: %d %d\n", -unmapped, -replaced);
    int copied = page_map(own, copy, page, PAGE_READ | PAGE_WRITE);
    sem_post(leave);
    thread_join(thread);
    if (page[0] == 'w' && copy[0] == 'p')
        printf("the copy keeps what was there, %d\n", copied);
    printf("after it: %d\n", page_unmap(own, copy));
    domain_kill(child);
    domain_wait(child, &status);
    return 0;
}
