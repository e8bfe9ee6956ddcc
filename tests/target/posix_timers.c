// expect stdout 5 times, 50 ms apart
// expect stdout none when it is taken back
// expect stdout raised by its own handler: 3 times, never within itself
// expect stdout a handler for one signal, then the default
// expect stdout 100000 alarms by one thread
// expect stdout a copy has none, and its own
// expect stdout all refused
// expect stdout last: 14 ends it
// expect status 0
/* setitimer, alarm and what sigaction's flags say. */
#include <pebble.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int rung, depth, deepest, again;
static void count(int signal)
{
    (void)signal;
    __atomic_add_fetch(&rung, 1, __ATOMIC_RELAXED);
}
static void raises_itself(int signal)
{
    deepest = ++depth > deepest ? depth : deepest;
    if (++again < 3)
        raise(signal);
    depth--;
}
static int child_of(int (*body)(void))
{
    int status, child = domain_fork(NULL);
    if (child == 0)
        _exit(body());
    return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}
static int resets(void)
{
    struct sigaction once = {.sa_handler = count, .sa_flags = SA_RESETHAND};
    sigaction(SIGUSR1, &once, NULL);
    raise(SIGUSR1);
    if (rung != 1)
        return 1;
    raise(SIGUSR1);
    return 2;
}
static int copied(void)
{
    struct itimerval left;
    int before = rung;
    usleep(100000);
    if (getitimer(ITIMER_REAL, &left) < 0 || left.it_value.tv_sec || left.it_value.tv_usec || rung != before)
        return 1;
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 10000}, NULL);
    for (int n = 0; n < 2000 && rung == before; n++)
        usleep(10000);
    return rung == before ? 2 : 0;
}
static int ends(void)
{
    signal(SIGALRM, SIG_DFL);
    alarm(1);
    for (int n = 0; n < 1000; n++)
        usleep(10000);
    return 1;
}
static int refused(int which, struct itimerval value)
{
    return setitimer(which, &value, NULL) == -1 && errno == EINVAL;
}
int main(void)
{
    signal(SIGALRM, count);
    struct itimerval often = {{0, 50000}, {0, 50000}}, before;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (setitimer(ITIMER_REAL, &often, NULL) < 0)
        return 1;
    while (rung < 5)
        usleep(1000);
    clock_gettime(CLOCK_MONOTONIC, &now);
    long took = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
    if (took >= 249)
        printf("5 times, 50 ms apart\n");
    else
        printf("5 times in %ld ms\n", took);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, &before);
    int had = rung;
    usleep(150000);
    if (before.it_interval.tv_usec == 50000 && rung == had)
        printf("none when it is taken back\n");
    signal(SIGUSR2, raises_itself);
    raise(SIGUSR2);
    printf("raised by its own handler: %d times, %s within itself\n", again, deepest == 1 ? "never" : "also");
    rung = 0;
    if (child_of(resets) == 128 + SIGUSR1)
        printf("a handler for one signal, then the default\n");
    for (int n = 0; n < 100000; n++)
        alarm(1000);
    if (alarm(500) > 998)
        printf("100000 alarms by one thread\n");
    if (child_of(copied) == 0)
        printf("a copy has none, and its own\n");
    struct sigaction unknown = {.sa_handler = count, .sa_flags = 0x8000};
    if (refused(ITIMER_VIRTUAL, often) && refused(ITIMER_REAL, (struct itimerval){{0, 0}, {0, 1000000}}) &&
        refused(ITIMER_REAL, (struct itimerval){{-1, 0}, {1, 0}}) && sigaction(SIGUSR1, &unknown, NULL) == -1)
        printf("all refused\n");
    printf("last: %d ends it\n", child_of(ends) - 128);
    return 0;
}
