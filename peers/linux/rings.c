/* Switches between processes: a byte around a ring of pipes, a turn around a ring of process-shared semaphores, and two
   processes that yield to each other. Rings are scheduled as any process is; those that yield are SCHED_FIFO: only there is a
   yield sure to switch, and it costs less. */
#include "bench.h"
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 8
#define ROUNDS 500

static int pipes[MOST][2];
static sem_t *semaphores; /* in memory that all members share */
static pid_t children[MOST];

/* Starts the other members of a ring of `domains`, each of which calls `member` with its place for ever. */
static void start(int domains, void (*member)(int place, int domains))
{
    for (int place = 1; place < domains; place++) {
        children[place] = fork();
        CHECK(children[place], "fork");
        if (children[place] == 0)
            for (;;)
                member(place, domains);
    }
}
static void stop(int domains)
{
    for (int place = 1; place < domains; place++) {
        CHECK(kill(children[place], SIGKILL), "kill");
        CHECK(waitpid(children[place], NULL, 0), "waitpid");
    }
}
static unsigned long per_domain(unsigned long value, int domains)
{
    return (value + domains / 2) / domains;
}
static void pipe_receive(int place)
{
    char byte;
    if (read(pipes[place][0], &byte, 1) != 1)
        fail("read from a pipe");
}
static void pipe_send(int place)
{
    if (write(pipes[place][1], "", 1) != 1)
        fail("write to a pipe");
}
static void pipe_member(int place, int domains)
{
    pipe_receive(place);
    pipe_send((place + 1) % domains);
}
static void pipe_ring(int domains)
{
    for (int place = 0; place < domains; place++)
        CHECK(pipe(pipes[place]), "pipe");
    start(domains, pipe_member);
    unsigned long round = MEASURE(ROUNDS, (pipe_send(1), pipe_receive(0)));
    stop(domains);
    for (int place = 0; place < domains; place++) {
        close(pipes[place][0]);
        close(pipes[place][1]);
    }
    ROW(per_domain(round, domains), .table = "usenix-4", .operation = "pipe", .domains = domains, .measure = "hop");
}
static void semaphore_member(int place, int domains)
{
    sem_wait(&semaphores[place]);
    sem_post(&semaphores[(place + 1) % domains]);
}
static void semaphore_ring(int domains)
{
    for (int place = 0; place < domains; place++)
        CHECK(sem_init(&semaphores[place], 1, 0), "sem_init");
    start(domains, semaphore_member);
    unsigned long round = MEASURE(ROUNDS, (sem_post(&semaphores[1]), sem_wait(&semaphores[0])));
    stop(domains);
    ROW(per_domain(round, domains), .table = "usenix-5", .operation = "semaphore", .domains = domains, .measure = "hop");
}
static void yield_member(int place, int domains)
{
    (void)place, (void)domains;
    sched_yield();
}
static void yield_pair(void)
{
    be_realtime(1);
    start(2, yield_member);
    unsigned long round = MEASURE(ROUNDS, sched_yield());
    stop(2);
    be_realtime(0);
    ROW(per_domain(round, 2), .table = "usenix-3", .operation = "yield", .domains = 2, .measure = "switch");
}
void measure_rings(void)
{
    semaphores = mmap(NULL, MOST * sizeof *semaphores, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (semaphores == MAP_FAILED)
        fail("mmap of shared memory");
    pipe_ring(2);
    pipe_ring(MOST);
    semaphore_ring(2);
    semaphore_ring(MOST);
    yield_pair();
}
