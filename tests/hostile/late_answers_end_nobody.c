// expect stdout the walls held
// timeout 60
/* A handler ends the domain whose fault it answers, makes others until one of them has its number, and then declines: nobody else ends
   for it. */
#include "include/hostile.h"

static int ready, go, next;

static word late(word asid, word cause, word address, word pc)
{
    int status;
    (void)cause, (void)address, (void)pc;
    if (domain_kill(asid) || domain_wait(asid, &status))
        return -1;
    for (int n = 0; n < 520 && next == 0; n++) {
        int child = domain_fork(0);
        if (child == 0) {
            if (get_asid() == asid)
                sem_wait(go);
            exit(5);
        }
        if (child == asid)
            next = child;
        else if (child < 0 || domain_wait(child, &status) || status != 5)
            break;
    }
    sem_post(ready);
    return -1;
}
static int attack(void)
{
    int begin = sem_create(0), status;
    ready = sem_create(0), go = sem_create(0);
    int client = domain_fork(0);
    if (client == 0) {
        sem_wait(begin);
        *(volatile int *)0x18000000 = 1;
        exit(0);
    }
    wall(1, pager_register(client, (void *)0x18000000, 4096, late) == 0);
    sem_post(begin);
    sem_wait(ready);
    /* Whoever has taken the number in between: honest domains make children, too. */
    if (next == 0)
        return 0;
    wall(2, next == client);
    hrsleep(1000000);
    sem_post(go);
    wall(3, domain_wait(next, &status) == 0 && status == 5);
    return 0;
}
