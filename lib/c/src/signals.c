/* Signals as far as one domain's own go: raised by itself, and handled in the thread that raises them. Another domain's can only be
   ended. */
#include "system.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static struct sigaction actions[NSIG];
static sigset_t pending;
static __thread sigset_t blocked;

static int bad(int signal)
{
    return signal <= 0 || signal >= NSIG;
}
static sigset_t bit(int signal)
{
    return (sigset_t)1 << signal;
}
static int invalid(void)
{
    errno = EINVAL;
    return -1;
}
static void deliver(int signal)
{
    struct sigaction action = actions[signal];
    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL) {
        /* Those that POSIX ignores where nobody asks for them. */
        if (signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH)
            _exit(128 + signal);
        return;
    }
    sigset_t before = blocked;
    blocked |= action.sa_mask | bit(signal);
    action.sa_handler(signal);
    blocked = before;
}
int raise(int signal)
{
    if (bad(signal))
        return invalid();
    if (blocked & bit(signal))
        __atomic_fetch_or(&pending, bit(signal), __ATOMIC_RELAXED);
    else
        deliver(signal);
    return 0;
}
int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (bad(signal) || (action && (signal == SIGKILL || signal == SIGSTOP)))
        return invalid();
    if (before)
        *before = actions[signal];
    if (action)
        actions[signal] = *action;
    return 0;
}
_sig_func_ptr signal(int number, _sig_func_ptr handler)
{
    struct sigaction action = {.sa_handler = handler}, before;
    return sigaction(number, &action, &before) < 0 ? SIG_ERR : before.sa_handler;
}
int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    if (before)
        *before = blocked;
    if (!set)
        return 0;
    switch (how) {
    case SIG_BLOCK: blocked |= *set; break;
    case SIG_UNBLOCK: blocked &= ~*set; break;
    case SIG_SETMASK: blocked = *set; break;
    default: return invalid();
    }
    sigset_t due = __atomic_fetch_and(&pending, blocked, __ATOMIC_RELAXED) & ~blocked;
    for (int n = 1; n < NSIG; n++)
        if (due & bit(n))
            deliver(n);
    return 0;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return sigprocmask(how, set, before) < 0 ? errno : 0;
}
int sigpending(sigset_t *set)
{
    *set = __atomic_load_n(&pending, __ATOMIC_RELAXED);
    return 0;
}
/* A process is a domain, and its number the domain's. */
pid_t getpid(void)
{
    return get_asid();
}
int kill(pid_t pid, int signal)
{
    if (pid == get_asid())
        return signal == 0 ? 0 : raise(signal);
    if (signal < 0 || signal >= NSIG)
        return invalid();
    int result = signal == SIGKILL || signal == SIGTERM ? domain_kill(pid) : -EPERM;
    if (result < 0) {
        errno = result == -EACCESS ? EPERM : result == -EPERM ? EPERM : ESRCH;
        return -1;
    }
    return 0;
}

/* The alarm that counts: one that was set before it has gone off, or was cancelled. */
static unsigned latest;
static unsigned long long due;
struct alarm {
    unsigned number, seconds;
};
static void ring(void *argument)
{
    struct alarm alarm = *(struct alarm *)argument;
    free(argument);
    sleep(alarm.seconds);
    if (__atomic_load_n(&latest, __ATOMIC_ACQUIRE) == alarm.number) {
        due = 0;
        raise(SIGALRM);
    }
}
/* The handler runs in a thread of its own; a wait of another thread is not interrupted. */
unsigned alarm(unsigned seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned left = due > (unsigned long long)now.tv_sec ? due - now.tv_sec : 0;
    unsigned number = __atomic_add_fetch(&latest, 1, __ATOMIC_ACQ_REL);
    due = 0;
    struct alarm *alarm = seconds ? malloc(sizeof *alarm) : NULL;
    if (alarm) {
        *alarm = (struct alarm){number, seconds};
        due = now.tv_sec + seconds;
        if (thread_create(ring, alarm, -1) < 0) {
            due = 0;
            free(alarm);
        }
    }
    return left;
}
