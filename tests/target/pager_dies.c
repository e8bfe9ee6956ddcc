// expect stdout status -15
// expect stdout others go on
// expect stderr did not answer
/* The client of a pager that died faults as if there had been none. */
#include <pebble.h>

static volatile long *const page = (long *)0x18000000;

static word handler(word asid, word cause, word address, word pc)
{
    (void)cause, (void)address, (void)pc;
    return page_map(asid, (void *)page, NULL, PAGE_READ | PAGE_WRITE);
}
int main(void)
{
    int ready = sem_create(0), go = sem_create(0), status;
    int middle = domain_fork(NULL);
    if (middle == 0) {
        int client = domain_fork(NULL);
        if (client == 0) {
            sem_wait(go);
            *page = 1;
            exit(0);
        }
        pager_register(client, (void *)page, 4096, handler);
        sem_post(ready);
        domain_wait(client, &status);
        exit(0);
    }
    sem_wait(ready);
    domain_kill(middle);
    domain_wait(middle, &status);
    int child = domain_fork(NULL);
    if (child == 0) {
        /* Without a pager: the same fault, seen by its own parent. */
        sem_post(go);
        *page = 1;
        exit(0);
    }
    domain_wait(child, &status);
    printf("status %d\nothers go on\n", status);
    return 0;
}
