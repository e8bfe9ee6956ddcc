// timeout 60
/* A handler ends the domain whose fault it answers, and declines when another has its number: nobody else ends for it. */
#include "include/hostile.h"

static volatile int ended, next;

static word late(word asid, word cause, word address, word pc)
{
    (void)cause, (void)address, (void)pc;
    ended = domain_kill(asid) == 0 ? asid : -1;
    /* Of what this thread waits for, nothing comes any more: its client is dead. */
    while (next == 0)
        yield();
    return -1;
}
/* Makes children until one has the number of the dead; that one lives. */
static int reuse(int number, int go)
{
    int status;
    for (int n = 0; n < 2000; n++) {
        int child = domain_fork(0);
        if (child == 0) {
            if (get_asid() == number)
                sem_wait(go);
            _Exit(5);
        }
        if (child < 0 || child == number)
            return child;
        if (domain_wait(child, &status) || status != 5)
            return -1;
    }
    return 0;
}
static int attack(void)
{
    int begin = sem_create(0), go = sem_create(0), status;
    int client = domain_fork(0);
    if (client == 0) {
        sem_wait(begin);
        *(volatile int *)0x18000000 = 1;
        _Exit(0);
    }
    wall(1, pager_register(client, (void *)0x18000000, 4096, late) == 0);
    sem_post(begin);
    while (ended == 0)
        yield();
    wall(2, ended == client && domain_wait(client, &status) == 0);
    int other = reuse(client, go);
    if (other != client)
        printf("%d, not %d\n", other, client);
    wall(3, other == client);
    next = other;
    hrsleep(1000000);
    sem_post(go);
    wall(4, domain_wait(other, &status) == 0 && status == 5);
    return 0;
}
