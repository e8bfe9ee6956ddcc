/* Max() of two integers, as "Domains of protection" (1995) compares ways to call it: in the same program; in another process, with the
   arguments and the result through two pipes; and in another process with both in memory that they share, where each waits for the other by a
   futex. */
#include "bench.h"
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 500
#define COUNT 10000

/* Called each time, whatever its caller knows of its result. */
static __attribute__((noipa)) long maximum(long a, long b)
{
    return a > b ? a : b;
}
static void figure(const char *operation, unsigned long value)
{
    ROW(value, .table = "protection-1995", .operation = operation, .measure = "warm");
}
/* Starts a process that calls `serve` for ever. */
static pid_t start(void (*serve)(void))
{
    pid_t child = fork();
    CHECK(child, "fork");
    if (child == 0)
        for (;;)
            serve();
    return child;
}
static void stop(pid_t child)
{
    CHECK(kill(child, SIGKILL), "kill");
    CHECK(waitpid(child, NULL, 0), "waitpid");
}

static int asked[2], answered[2];

static void serve_pipe(void)
{
    long pair[2];
    if (read(asked[0], pair, sizeof pair) != sizeof pair)
        fail("read from a pipe");
    long result = maximum(pair[0], pair[1]);
    if (write(answered[1], &result, sizeof result) != sizeof result)
        fail("write to a pipe");
}
static long ask_pipe(long a, long b)
{
    long pair[2] = {a, b}, result;
    if (write(asked[1], pair, sizeof pair) != sizeof pair || read(answered[0], &result, sizeof result) != sizeof result)
        fail("a pipe");
    return result;
}

/* Whose turn it is, and what is passed. */
enum { CALLER, CALLEE };
static struct {
    int turn;
    long a, b, result;
} *shared;

static void wait_for(int turn)
{
    while (__atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE) != turn)
        syscall(SYS_futex, &shared->turn, FUTEX_WAIT, 1 - turn, NULL, NULL, 0);
}
static void pass_to(int turn)
{
    __atomic_store_n(&shared->turn, turn, __ATOMIC_RELEASE);
    CHECK(syscall(SYS_futex, &shared->turn, FUTEX_WAKE, 1, NULL, NULL, 0), "futex");
}
static void serve_futex(void)
{
    wait_for(CALLEE);
    shared->result = maximum(shared->a, shared->b);
    pass_to(CALLER);
}
static long ask_futex(long a, long b)
{
    shared->a = a, shared->b = b;
    pass_to(CALLEE);
    wait_for(CALLER);
    return shared->result;
}

static void check(long result)
{
    if (result != 4)
        fail("Max(3, 4)");
}
void measure_maximum(void)
{
    figure("library", MEASURE(COUNT, maximum(3, 4)));
    CHECK(pipe(asked), "pipe");
    CHECK(pipe(answered), "pipe");
    pid_t child = start(serve_pipe);
    check(ask_pipe(3, 4));
    figure("separate-tasks-pipe", MEASURE(ROUNDS, ask_pipe(3, 4)));
    stop(child);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("mmap of shared memory");
    child = start(serve_futex);
    check(ask_futex(4, 3));
    figure("separate-tasks-futex", MEASURE(ROUNDS, ask_futex(3, 4)));
    stop(child);
}
