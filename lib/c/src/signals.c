/* Signals as far as one domain's own go: raised by itself, and handled in the thread that raises them. Another domain's can only be
   ended. */
#include "system.h"
#include <signal.h>
#include <sys/lock.h>
#include <unistd.h>

static struct sigaction actions[NSIG];
/* A signal is the thread's that raises it, and so waits for that thread to let it through. */
static __thread sigset_t pending, blocked;

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
/* Does what is to be done for `signal`; what is let through is as before. */
static void handle(int signal)
{
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    struct sigaction action = actions[signal];
    if (action.sa_flags & SA_RESETHAND && action.sa_handler != SIG_IGN)
        actions[signal].sa_handler = SIG_DFL;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL) {
        /* Those that POSIX ignores where nobody asks for them. */
        if (signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH)
            _exit(128 + signal);
        return;
    }
    sigset_t before = blocked;
    blocked |= action.sa_mask | (action.sa_flags & SA_NODEFER ? 0 : bit(signal));
    action.sa_handler(signal);
    blocked = before;
}
/* Those that wait and are let through. A handler may raise others, or its own again: not one within the other. */
static void handle_pending(void)
{
    for (int n = 1; n < NSIG; n++)
        if (pending & ~blocked & bit(n)) {
            pending &= ~bit(n);
            handle(n);
            n = 0;
        }
}
int raise(int signal)
{
    if (bad(signal))
        return invalid();
    pending |= bit(signal);
    handle_pending();
    return 0;
}
int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (bad(signal) || (action && (signal == SIGKILL || signal == SIGSTOP)) ||
        (action && action->sa_flags & ~(SA_NOCLDSTOP | SA_RESTART | SA_RESETHAND | SA_NODEFER)))
        return invalid();
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    struct sigaction had = actions[signal];
    if (action)
        actions[signal] = *action;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    if (before)
        *before = had;
    return 0;
}
_sig_func_ptr signal(int number, _sig_func_ptr handler)
{
    struct sigaction action = {.sa_handler = handler}, before;
    return sigaction(number, &action, &before) < 0 ? SIG_ERR : before.sa_handler;
}
int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t wanted = set ? *set : 0;
    if (before)
        *before = blocked;
    if (!set)
        return 0;
    switch (how) {
    case SIG_BLOCK: blocked |= wanted; break;
    case SIG_UNBLOCK: blocked &= ~wanted; break;
    case SIG_SETMASK: blocked = wanted; break;
    default: return invalid();
    }
    handle_pending();
    return 0;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return sigprocmask(how, set, before) < 0 ? errno : 0;
}
int sigpending(sigset_t *set)
{
    *set = pending;
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
