// isolation sfi
// host tests/hosts/in_c
// timeout 60
// expect status 0
// expect stdout all holds
/* What a host in C (tests/hosts/in_c) loads and calls. */
#include <fault_domain.h>

static word add(word a, word b) { return a + b; }
static word fill(char *at, word bytes) { return memset(at, 'f', bytes) != at; }
static word read(const volatile char *at) { return *at; }
static word fault(void) { return *(volatile word *)8 = 1; }
static word recurse(volatile word *above)
{
    volatile word here[100];
    here[0] = (word)above;
    if (!here[0]) /* never */
        return 0;
    return recurse(here) + here[0];
}
/* Console, files: whatever the host has opened at the first number that is not the system's. */
static word open(void) { return pebble_call3(64, 0, 0, 0); }
/* Whether any portal of the system's second half leads somewhere that it has not opened. */
static word finds(char *to)
{
    word found = 0;
    for (int number = 40; number < 512; number++)
        for (int first = 0; first < 2; first++)
            found += invoke_portal(number, first ? (word)to : 0l, first ? 8l : 0l, (word)to, 8l) != -EPORTAL;
    return found;
}
/* What it opens is its own. */
static word opens(void)
{
    int semaphore = sem_create(1), portal = portal_open("clock.time");
    return sem_wait(semaphore) || sem_post(semaphore) || sem_destroy(semaphore) || portal_close(portal) || sem_wait(semaphore) != -EPORTAL;
}
/* Whether it may open that, which it does and closes again. */
static word may(const char *name)
{
    static _Alignas(NAMELEN) char own[NAMELEN];
    strncpy(own, name, sizeof own - 1);
    int portal = portal_open(own);
    return portal < 0 ? portal : portal_close(portal);
}
/* A name where nothing is: in the middle of the segment, between heap and stacks. By the system's call: the C library's function reads the name itself. */
static word nowhere(void)
{
    enum { SYS_PORTAL_OPEN = 13 };
    static char own;
    return pebble_call3(SYS_PORTAL_OPEN, ((word)&own & -(word)0x4000000) + 0x2000000, 0, 0);
}
static word leave(word status) { exit(status); }

int main(void)
{
    static const struct fault_domain_offer offer = {11, {add, fill, read, fault, recurse, open, leave, finds, opens, may, nowhere}};
    char *some = malloc(100);
    if (!some)
        return 1;
    fault_domain_offer(&offer);
}
