// expect stdout the next domain ended with 5
// expect stdout and another was killed: -202
#include <pebble.h>
/* A handler that ends the domain it answers for, and still says where its thread is to go on: the thread goes nowhere, and
   nobody else notices. */
static word handler(word asid, word cause, word address, word pc)
{
    (void)cause, (void)address, (void)pc;
    domain_kill(asid);
    return 0x1000;
}
static int child_that_faults(void)
{
    int status = 0, ready = sem_create(0), child = domain_fork(0);
    if (child == 0) {
        sem_wait(ready);
        *(volatile int *)0x18000000 = 1;
        exit(1);
    }
    pager_register(child, (void *)0x18000000, 4096, handler);
    sem_post(ready);
    domain_wait(child, &status);
    return status;
}
int main(void)
{
    int status = 0;
    if (child_that_faults() != -EDEAD)
        return 1;
    int child = domain_fork(0);
    if (child == 0)
        exit(5);
    domain_wait(child, &status);
    printf("the next domain ended with %d\n", status);
    printf("and another was killed: %d\n", child_that_faults());
    return 0;
}
