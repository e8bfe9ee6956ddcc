/* What it takes to have something run beside the caller, and to collect it when it has ended: a thread, a process. */
#include "bench.h"
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 300
#define PROCESSES 100

static void *end(void *argument)
{
    return argument;
}
static void thread_and_join(void)
{
    pthread_t thread;
    if ((errno = pthread_create(&thread, NULL, end, NULL)) != 0)
        fail("pthread_create");
    if ((errno = pthread_join(thread, NULL)) != 0)
        fail("pthread_join");
}
static void fork_and_wait(void)
{
    pid_t child = fork();
    CHECK(child, "fork");
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, NULL, 0), "waitpid");
}
void measure_processes(void)
{
    ROW(MEASURE(THREADS, thread_and_join()), .table = "peers", .operation = "thread", .measure = "round-trip");
    ROW(MEASURE(PROCESSES, fork_and_wait()), .table = "peers", .operation = "domain", .measure = "round-trip");
}
