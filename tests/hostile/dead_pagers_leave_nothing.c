// timeout 60
// ways plain touch slices strict strict-touch
/* Not in a sandbox: `get_asid` answers for the controlling domain there, so a domain can name neither itself nor its child, and
   `pager_register` and `page_map` are refused with EACCESS before anything is attacked. */
/* A pager dies. Whoever gets its number next, of all numbers that there are, may not put pages into the client that it answered for,
   and is not asked for the client's faults. The client may then have another for the same addresses. */
#include "include/hostile.h"
#define PAGE 4096ul

static volatile long *const place = (long *)0x18000000;

static word maps(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & -PAGE), 0, PAGE_READ | PAGE_WRITE);
}
static word declines(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return -1;
}
static int report(const int *to, long value)
{
    return write(to[1], &value, sizeof value) == sizeof value;
}
static long told(const int *from)
{
    long value = -1;
    return read(from[0], &value, sizeof value) == sizeof value ? value : -1;
}
static int attack(void)
{
    int go = sem_create(0), ends[2], status;
    wall(1, pipe(ends) == 0);
    int middle = domain_fork(0);
    if (middle == 0) {
        int client = domain_fork(0);
        if (client == 0) {
            /* In its parent's range, until that dies; then in one of its own. */
            sem_wait(go);
            report(ends, pager_register(get_asid(), (void *)place, PAGE, maps));
            *place = 7;
            report(ends, *place);
            sem_wait(go);
            exit(0);
        }
        report(ends, get_asid());
        report(ends, client);
        report(ends, pager_register(client, (void *)place, 2 * PAGE, declines));
        sem_wait(sem_create(0));
    }
    long number = told(ends), client = told(ends);
    wall(2, number > 0 && client > 0 && told(ends) == 0);
    wall(3, domain_kill(middle) == 0 && domain_wait(middle, &status) == 0);
    /* Once around all numbers. */
    int had = 0;
    for (int n = 0; n < 520 && !had; n++) {
        int child = domain_fork(0);
        if (child == 0)
            exit(page_map(client, (void *)place, 0, PAGE_READ) == -EACCESS
                 && page_unmap(client, (void *)place) == -EACCESS ? 0 : 1);
        wall(4, child > 0 && domain_wait(child, &status) == 0 && status == 0);
        had = child == number;
    }
    sem_post(go);
    wall(6, told(ends) == 0);
    wall(7, told(ends) == 7);
    sem_post(go);
    return 0;
}
