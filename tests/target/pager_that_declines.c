// expect stdout declining: status -13
// expect stdout faulting: status -13
// expect stdout the pager goes on
// expect stderr which its pager, domain 
/* A pager that declines, or that faults itself, costs its client only. */
#include <pebble.h>

static volatile long *const page = (long *)0x18000000;
static int bad;

static word handler(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    if (bad)
        return page[512]; /* not there, for the pager neither */
    return -1;
}
static word own(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    extern char give_up[];
    return (word)give_up;
}
static word give_up_value(void)
{
    word value;
    __asm__ volatile("ld %0, 0(%1); j 1f; .globl give_up; give_up: li %0, -1; 1:" : "=&r"(value) : "r"(page + 512) : "memory");
    return value;
}
static word careful(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return give_up_value();
}
static void client(const char *what, word (*answer)(word, word, word, word))
{
    int go = sem_create(0), status, child = domain_fork(NULL);
    if (child == 0) {
        sem_wait(go);
        exit(*page);
    }
    pager_register(child, (void *)page, 4096, answer);
    sem_post(go);
    domain_wait(child, &status);
    printf("%s: status %d\n", what, status);
}
int main(void)
{
    client("declining", handler);
    bad = 1;
    pager_register(get_asid(), NULL, 0, own);
    client("faulting", careful);
    printf("the pager goes on\n");
    return 0;
}
