/* What a process does on its own: a system call that does nothing, a semaphore that nobody else wants. */
#include "bench.h"
#include <semaphore.h>
#include <unistd.h>

#define COUNT 10000

void measure_calls(void)
{
    ROW(MEASURE(COUNT, getppid()), .table = "usenix-1", .operation = "short-circuit", .measure = "round-trip");
    sem_t semaphore;
    CHECK(sem_init(&semaphore, 1, 1), "sem_init");
    ROW(MEASURE(COUNT, (sem_wait(&semaphore), sem_post(&semaphore))), .table = "peers", .operation = "semaphore", .domains = 1, .measure = "round-trip");
}
