// expect stdout the client is stuck, the others go on: 1
// expect stdout killed: -202
// expect stdout the pager serves the next one: 7
/* A pager that loops keeps the thread that has faulted, and nobody else; its client can be ended, and another client is
   served meanwhile. */
#include <pebble.h>
static volatile long *const page = (long *)0x18000000;
static volatile int loop = 1;
static word handler(word asid, word cause, word address, word pc)
{
    (void)cause, (void)address, (void)pc;
    while (loop)
        ;
    int result = page_map(asid, (void *)page, NULL, PAGE_READ | PAGE_WRITE);
    return result;
}
static int touch(int go)
{
    int child = domain_fork(0);
    if (child == 0) {
        sem_wait(go);
        *page = 7;
        exit(*page);
    }
    pager_register(child, (void *)page, 4096, handler);
    sem_post(go);
    return child;
}
int main(void)
{
    int go = sem_create(0), status;
    int stuck = touch(go);
    hrsleep(5000000);
    int other = domain_fork(0);
    if (other == 0)
        exit(1);
    domain_wait(other, &status);
    printf("the client is stuck, the others go on: %d\n", status);
    domain_kill(stuck);
    domain_wait(stuck, &status);
    printf("killed: %d\n", status);
    loop = 0;
    domain_wait(touch(go), &status);
    printf("the pager serves the next one: %d\n", status);
    return 0;
}
