// expect stdout handled 10
// expect stdout then 12, when it was let through
// expect stdout alarm after 1 s
// expect stdout child ended with 7
// expect stdout all right
// expect stderr note: 3 of it
// expect stderr check
// expect status 134
/* Signals within a domain, children by waitpid, identity, syslog; abort by a failed assertion has SIGABRT's status. */
#include <assert.h>
#include <pebble.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static volatile int seen;
static void handler(int signal)
{
    seen = signal;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handler}, before;
    if (sigaction(SIGUSR1, &action, NULL) < 0 || raise(SIGUSR1) < 0)
        return 1;
    printf("handled %d\n", seen == SIGUSR1 ? 10 : seen);
    signal(SIGUSR2, handler);
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, &old);
    if (kill(getpid(), SIGUSR2) < 0 || seen != SIGUSR1)
        return 2;
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("then 12, when it was %s\n", seen == SIGUSR2 ? "let through" : "lost");
    signal(SIGCHLD, SIG_DFL);
    raise(SIGCHLD);
    if (raise(99) == 0 || errno != EINVAL || kill(getpid(), 0) < 0 || kill(12345, 0) == 0)
        return 3;
    signal(SIGALRM, handler);
    alarm(9);
    if (alarm(1) < 8)
        return 4;
    for (int n = 0; n < 2000 && seen != SIGALRM; n++)
        usleep(10000);
    printf("alarm after %s\n", seen == SIGALRM ? "1 s" : "never");
    if (sigaction(SIGKILL, &action, NULL) == 0 || sigaction(SIGALRM, NULL, &before) < 0 || before.sa_handler != handler)
        return 5;
    int status, child = domain_fork(NULL);
    if (child == 0)
        _exit(7);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 6;
    printf("child ended with %d\n", WEXITSTATUS(status));
    if (waitpid(child, &status, 0) != -1 || errno != ECHILD)
        return 7;
    if (getpgrp() != getpid() || setpgid(0, 0) < 0 || setpgid(0, 12345) == 0 || errno != EPERM || getsid(0) != getpid())
        return 8;
    child = domain_fork(NULL);
    if (child == 0)
        _exit(killpg(getpgrp(), 0) + 8);
    if (wait4(child, &status, 0, NULL) != child || WEXITSTATUS(status) != 8 || wait3(&status, 0, NULL) != -1 || errno != ECHILD)
        return 9;
    struct utsname name;
    if (uname(&name) < 0 || strcmp(name.sysname, "Pebble") || getuid() || sysconf(_SC_PAGESIZE) != 4096)
        return 8;
    openlog("note", 0, LOG_USER);
    setlogmask(LOG_UPTO(LOG_WARNING));
    syslog(LOG_INFO, "not this");
    syslog(LOG_ERR, "%d of it", 3);
    printf("all right\n");
    assert(!"check");
    return 9;
}
