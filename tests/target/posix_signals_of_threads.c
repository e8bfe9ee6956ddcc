// expect stdout right
/* Signals of threads, waits for them, their stacks, jumps with them, and the clocks: what the Open POSIX Test Suite asks. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s\n", __LINE__, #what), exit(1)))

static int handled;
static char *seen_stack;
static sigjmp_buf place;

static void handler(int signal)
{
    handled = signal;
    seen_stack = __builtin_frame_address(0);
}
static void jumps(int signal)
{
    (void)signal;
    siglongjmp(place, 7);
}
static void *inherits(void *unused)
{
    sigset_t set, pending;
    (void)unused;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    sigpending(&pending);
    return (void *)(long)(sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGTERM) == 0 && sigismember(&pending, SIGUSR1) == 0);
}
static void masks(void)
{
    sigset_t set, now;
    void *result;
    pthread_t thread;
    CHECK(sigemptyset(&set) == 0 && sigaddset(&set, SIGUSR1) == 0 && sigaddset(&set, 0) == -1 && errno == EINVAL && sigaddset(&set, NSIG) == -1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGUSR1) == 0);
    CHECK(pthread_create(&thread, NULL, inherits, NULL) == 0 && pthread_join(thread, &result) == 0 && result);
    sigfillset(&now);
    CHECK(sigprocmask(SIG_SETMASK, &now, NULL) == 0 && sigprocmask(SIG_SETMASK, &set, &now) == 0);
    CHECK(sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGKILL) == 0 && sigismember(&now, SIGSTOP) == 0 && sigismember(&now, SIGUSR2) == 1);
    CHECK(pthread_sigmask(99, &set, NULL) == EINVAL);
}
static void *waits(void *seen)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, seen);
    return NULL;
}
static void waiting(void)
{
    sigset_t set;
    int seen = 0;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    /* One that waits already (raised above), one that comes for the program, one for the thread, and none. */
    CHECK(sigwait(&set, &seen) == 0 && seen == SIGUSR1);
    CHECK(pthread_create(&thread, NULL, waits, &seen) == 0);
    usleep(20000);
    CHECK(kill(getpid(), SIGUSR2) == 0 && pthread_join(thread, NULL) == 0 && seen == SIGUSR2);
    CHECK(pthread_create(&thread, NULL, waits, &seen) == 0 && pthread_kill(thread, SIGUSR1) == 0 && pthread_join(thread, NULL) == 0 && seen == SIGUSR1);
    CHECK(pthread_kill(thread, 0) == ESRCH && pthread_kill(pthread_self(), 0) == 0 && pthread_kill(pthread_self(), NSIG) == EINVAL);
    struct timespec tenth = {0, 100000000};
    siginfo_t about;
    CHECK(sigtimedwait(&set, &about, &tenth) == -1 && errno == EAGAIN);
    raise(SIGUSR2);
    CHECK(sigwaitinfo(&set, &about) == SIGUSR2 && about.si_signo == SIGUSR2);
}
static void *goes_on(void *ends)
{
    while (!*(volatile int *)ends)
        usleep(1000);
    return NULL;
}
static void sent(void)
{
    pthread_t thread;
    int ends = 0;
    sigset_t set;
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGUSR1, handler);
    CHECK(pthread_create(&thread, NULL, goes_on, &ends) == 0);
    usleep(10000);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && handled == SIGUSR1);
    ends = 1;
    pthread_join(thread, NULL);
}
static void stacks(void)
{
    static char memory[16384];
    stack_t wanted = {memory, 0, sizeof memory}, had;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(NULL, &had) == 0 && had.ss_flags == SS_DISABLE);
    CHECK(sigaltstack(&wanted, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0 && raise(SIGUSR2) == 0);
    CHECK(seen_stack > memory && seen_stack < memory + sizeof memory);
    wanted.ss_size = 16;
    CHECK(sigaltstack(&wanted, &had) == -1 && errno == ENOMEM && had.ss_sp == memory && had.ss_flags == 0);
}
static void leaps(void)
{
    sigset_t now;
    signal(SIGUSR1, jumps);
    int from = sigsetjmp(place, 1);
    if (from == 0)
        raise(SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, &now);
    CHECK(from == 7 && !sigismember(&now, SIGUSR1));
}
static void clocks(void)
{
    struct timespec time;
    CHECK(clock_gettime(12345, &time) == -1 && errno == EINVAL && clock_getres(12345, NULL) == -1 && errno == EINVAL);
    CHECK(clock_getres(CLOCK_REALTIME, &time) == 0 && time.tv_sec == 0 && time.tv_nsec > 0 && time.tv_nsec <= 1000000);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    time.tv_nsec += time.tv_nsec < 900000000 ? 20000000 : 0;
    struct timespec after;
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == 0 && clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    CHECK(after.tv_sec > time.tv_sec || (after.tv_sec == time.tv_sec && after.tv_nsec >= time.tv_nsec));
    CHECK(sysconf(_SC_THREADS) == 200809 && sysconf(_SC_THREAD_KEYS_MAX) == PTHREAD_KEYS_MAX && sysconf(_SC_THREAD_STACK_MIN) > 0);
    errno = 0;
    CHECK(sysconf(_SC_TIMERS) == -1 && errno == 0 && sysconf(99999) == -1 && errno == EINVAL);
}
int main(void)
{
    masks();
    waiting();
    sent();
    stacks();
    leaps();
    clocks();
    puts("right");
    return 0;
}
