// expect stdout the others go on: 1
// expect stdout stopped: -15, -15
// expect stdout the same pager serves the next one: 7
// expect stderr store page fault at address 0x18000010, pc
// expect stderr did not answer within 5 seconds
// timeout 120
/* A pager that loops has five seconds: then its client is stopped, and nobody else; also where the handler has unregistered
   itself before. */
#include <pebble.h>
enum { PAGE = 4096 };
static char *const pages = (char *)0x18000000;
static volatile int loops = 1;
static word handler(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    while (loops)
        ;
    return page_map(asid, (void *)(address & -PAGE), NULL, PAGE_READ | PAGE_WRITE);
}
static word unregistering(word asid, word cause, word address, word pc)
{
    pager_unregister(asid, pages);
    return handler(asid, cause, address, pc);
}
static int client(int go, word (*pager)(word, word, word, word))
{
    int child = domain_fork(0);
    if (child == 0) {
        sem_wait(go);
        *(volatile int *)(pages + 16) = 7;
        exit(*(volatile int *)(pages + 16));
    }
    pager_register(child, pages, PAGE, pager);
    sem_post(go);
    return child;
}
int main(void)
{
    int go = sem_create(0), status, second;
    int first_client = client(go, handler), second_client = client(go, unregistering);
    hrsleep(5000000);
    int other = domain_fork(0);
    if (other == 0)
        exit(1);
    domain_wait(other, &status);
    printf("the others go on: %d\n", status);
    fflush(stdout);
    domain_wait(first_client, &status);
    domain_wait(second_client, &second);
    printf("stopped: %d, %d\n", status, second);
    loops = 0;
    domain_wait(client(go, handler), &status);
    printf("the same pager serves the next one: %d\n", status);
    return 0;
}
