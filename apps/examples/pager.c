/* Demand paging as an ordinary component: a child works on an array that is not there; its parent makes each page at the first
   touch, as a file or a decompressor would. */
#include <pebble.h>

#define PAGES 16
#define PAGE  4096

static int *const array = (int *)0x18000000; /* in nobody's way: between the heap and the devices */
static int buffer[PAGE / sizeof(int)] __attribute__((aligned(PAGE)));
static int made;

/* A page of squares. */
static word pager(word asid, word cause, word address, word pc)
{
    int first = (address - (word)array) / PAGE * (PAGE / sizeof(int));
    (void)cause, (void)pc;
    for (int i = 0; i < (int)(PAGE / sizeof(int)); i++)
        buffer[i] = (first + i) * (first + i);
    made++;
    return page_map(asid, (void *)(address & -PAGE), buffer, PAGE_READ | PAGE_WRITE);
}
int main(void)
{
    int go = sem_create(0), status;
    int child = domain_fork(NULL);
    if (child == 0) {
        sem_wait(go);
        long sum = 0;
        for (int i = 0; i < PAGES * PAGE / (int)sizeof(int); i += 512)
            sum += array[i];
        array[5] = 1; /* its own copy */
        printf("sum %ld\n", sum + array[5]);
        exit(0);
    }
    pager_register(child, array, PAGES * PAGE, pager);
    sem_post(go);
    domain_wait(child, &status);
    printf("%d pages made, status %d\n", made, status);
    return status;
}
