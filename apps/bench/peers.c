/* The operations that Pebble is compared with other systems by: uncontended semaphores, threads, domains, page faults, timers. */
#include "bench.h"

static int count;

static void end(void *argument)
{
    (void)argument;
}
static void thread_and_join(void)
{
    thread_join(thread_create(end, NULL, -1));
}
static void fork_and_wait(void)
{
    int child = domain_fork(NULL);
    if (child == 0)
        _Exit(0);
    domain_wait(child, NULL);
}
/* A load that is not allowed, answered by a handler of the domain itself, which has it go on behind it. */
extern char skipped[];
static word skip(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return (word)skipped;
}
static __attribute__((noinline)) void forbidden_load(void)
{
    __asm__ volatile("ld zero, 0(zero); .globl skipped; skipped:" : : : "memory");
}
/* Pages that are not there, one after the other: `touch` is the first access to each. */
#define AREA ((volatile char *)0x18000000)
static char source[4096] __attribute__((aligned(4096)));
static word pager(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & -4096), source, PAGE_READ);
}
static unsigned long touches(int count)
{
    unsigned long samples[count];
    for (int i = 0; i < count; i++) {
        unsigned long start = cycles();
        (void)AREA[4096l * i];
        samples[i] = cycles() - start;
    }
    return median(samples, count);
}
int main(int argc, char **argv)
{
    count = repetitions(argc, argv);
    int semaphore = sem_create(1), few = count / 10 + 1;
    ROW(MEASURE(count, (sem_wait(semaphore), sem_post(semaphore))), .table = "peers", .operation = "semaphore", .domains = 1, .measure = "round-trip");
    ROW(MEASURE(few, thread_and_join()), .table = "peers", .operation = "thread", .measure = "round-trip");
    ROW(MEASURE(few, fork_and_wait()), .table = "peers", .operation = "domain", .measure = "round-trip");
    unsigned long late[few];
    for (int i = 0; i < few; i++) {
        unsigned long delay = 4000 + random() % 4000, start = hrtime();
        hrsleep(delay);
        late[i] = 2 * (hrtime() - start - delay);
    }
    ROW(median(late, few), .table = "peers", .operation = "timer", .measure = "median");
    int own = get_asid();
    pager_register(own, NULL, 0, skip);
    ROW(MEASURE(few, forbidden_load()), .table = "peers", .operation = "fault", .measure = "round-trip");
    pager_unregister(own, NULL);
    *(volatile char *)source = 1;
    pager_register(own, (void *)AREA, 4096l * few, pager);
    ROW(touches(few), .table = "peers", .operation = "fault-map", .measure = "round-trip");
    pager_unregister(own, (void *)AREA);
    for (int i = 0; i < few; i++)
        page_map(own, (void *)(AREA + 4096l * i), NULL, PAGE_READ | PAGE_WRITE);
    ROW(touches(few), .table = "peers", .operation = "first-touch", .measure = "round-trip");
    return 0;
}
