// timeout 120
/* Whatever ends a domain, or asks the trusted servers for something, does so near the limit of the invocation stack as it does at its
   top: an end is an end, a refusal is EDEPTH, and nothing is left behind. */
#include "include/hostile.h"

enum { FAULTS, EXITS, FORKS, KILLS, OPENS, SEMAPHORES, WAYS, SHALLOW = 40, DEEPEST = 70, STACKS = 24, WRONG = 3, TOO_DEEP = 4 };
static int deeper_portal, way, deepest;

/* Waiting for a child takes a larger frame than making it. */
static word ended(int child, int killed)
{
    int status = 0, waited = domain_wait(child, &status);
    return waited == -EDEPTH ? waited : waited < 0 || (!killed && status) ? WRONG : 0;
}
static word at_the_end(void)
{
    int child, semaphore, portal;
    switch (way) {
    case FAULTS: return *(volatile char *)8;
    case EXITS: return invoke_portal(SYS_EXIT, 0l);
    case FORKS:
        child = domain_fork(0);
        if (child == 0)
            exit(0);
        return child < 0 ? child : ended(child, 0);
    case KILLS:
        child = domain_fork(0);
        if (child == 0)
            for (;;)
                yield();
        return child < 0 ? child : domain_kill(child) < 0 ? WRONG : ended(child, 1);
    case OPENS:
        portal = portal_open("app.deeper");
        return portal < 0 ? portal : portal_close(portal);
    default:
        semaphore = sem_create(1);
        if (semaphore < 0)
            return semaphore;
        return sem_wait(semaphore) || sem_post(semaphore) || sem_destroy(semaphore) ? WRONG : 0;
    }
}
static word deeper(word n) { return n > 0 ? invoke_portal(deeper_portal, n - 1) : at_the_end(); }
/* 0: it was done, or the domain ended as it was to; TOO_DEEP: refused. */
static int at(int depth)
{
    int child = domain_fork(0), status = 0;
    if (child == 0) {
        portal_register("app.deeper", "smi", deeper, 0, STACKS);
        deeper_portal = portal_open("app.deeper");
        word result = deeper(depth);
        exit(result == -EDEPTH ? TOO_DEEP : result ? WRONG : 0);
    }
    if (child < 0 || domain_wait(child, &status) < 0)
        return WRONG;
    return way == FAULTS && status < 0 ? 0 : status;
}
static int attack(void)
{
    for (way = 0; way < WAYS; way++) {
        int status = 0;
        for (int depth = 0; depth < DEEPEST && status == 0; depth = depth ? depth + 1 : SHALLOW)
            if ((status = at(depth)) == 0 && way == FAULTS)
                deepest = depth;
        wall(1 + way, status == TOO_DEEP);
    }
    /* More domains than there are numbers (in the plain way), each ended by a fault as deep as it goes: none is lost. */
    way = FAULTS;
    for (int n = 0; n < hostile_rounds(520); n++)
        wall(1 + WAYS, at(deepest) == 0);
    return 0;
}
