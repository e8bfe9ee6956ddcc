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
    return 0;
}
