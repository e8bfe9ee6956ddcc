/* The page through which threads enter domains has one translation for all of them. What a server is shown of it in a window is no such: in the slot
   it sees next what the next call shows. */
#include "include/hostile.h"

enum { PAGE = 4096, CALLS = 64 };
/* In a sandbox results are ints. */
static const volatile int *const RETURN_PAGE = (const volatile int *)0x3FFFF000;
static int page[PAGE / sizeof(int)] __attribute__((aligned(PAGE)));

static word first(const volatile int *shown)
{
    return *shown;
}
static int attack(void)
{
    int ready = sem_create(0), stop = sem_create(0), server = domain_fork(NULL);
    if (server == 0) {
        portal_register("app.first", "npr", first, NULL, 1);
        sem_post(ready);
        sem_wait(stop);
        _Exit(0);
    }
    sem_wait(ready);
    int portal = portal_open("app.first");
    wall(1, portal >= 0);
    for (int n = 1; n <= hostile_rounds(CALLS); n++) {
        page[0] = n;
        wall(2, invoke_portal(portal, RETURN_PAGE) == *RETURN_PAGE);
        wall(3, invoke_portal(portal, page) == n);
    }
    sem_post(stop);
    domain_wait(server, NULL);
    return 0;
}
