/* Signals: raised by the thread that handles them, or sent from outside, which outside_signals.c waits for. */
#include "signals.h"
#include <sys/lock.h>
#include <unistd.h>

struct sigaction __pebble_actions[NSIG];
sigset_t __pebble_waiting;
__thread sigset_t __pebble_blocked;
sigset_t *__pebble_first_blocked;
void (*__pebble_handled)(void);
/* A signal is the thread's that raises it, and so waits for that thread to let it through. */
static __thread sigset_t pending;

static int bad(int signal)
{
    return signal <= 0 || signal >= NSIG;
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
    struct sigaction action = __pebble_actions[signal];
    if (action.sa_flags & SA_RESETHAND && action.sa_handler != SIG_IGN)
        __pebble_actions[signal].sa_handler = SIG_DFL;
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL) {
        if (!(IGNORED & __pebble_bit(signal)))
            _exit(128 + signal);
        return;
    }
    sigset_t before = __pebble_blocked;
    __pebble_blocked |= action.sa_mask | (action.sa_flags & SA_NODEFER ? 0 : __pebble_bit(signal));
    action.sa_handler(signal);
    __pebble_blocked = before;
    if (__pebble_handled)
        __pebble_handled();
}
/* Those from outside are the first thread's. */
static sigset_t *from_outside(void)
{
    static sigset_t none;
    return &__pebble_blocked == __pebble_first_blocked ? &__pebble_waiting : &none;
}
/* Takes a signal that waits here and is let through; whether there was one. */
static int take(sigset_t *here, int signal)
{
    if (*here & ~__pebble_blocked & __pebble_bit(signal))
        return (__atomic_fetch_and(here, ~__pebble_bit(signal), __ATOMIC_SEQ_CST) & __pebble_bit(signal)) != 0;
    return 0;
}
/* Those that wait and are let through. A handler may raise others, or its own again: not one within the other. */
static void handle_pending(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int n = 1; n < NSIG; n++)
        if (take(&pending, n) || take(from_outside(), n)) {
            handle(n);
            n = 0;
        }
}
void __pebble_from_outside(int signal)
{
    sigset_t bit = __pebble_bit(signal);
    /* First it waits, and is taken back then: so the first thread finds it, if it lets it through meanwhile. */
    __atomic_fetch_or(&__pebble_waiting, bit, __ATOMIC_SEQ_CST);
    if (!(*(volatile sigset_t *)__pebble_first_blocked & bit) &&
        __atomic_fetch_and(&__pebble_waiting, ~bit, __ATOMIC_SEQ_CST) & bit)
        raise(signal);
}
int raise(int signal)
{
    if (bad(signal))
        return invalid();
    pending |= __pebble_bit(signal);
    handle_pending();
    return 0;
}
int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t wanted = set ? *set : 0;
    __pebble_raise = raise;
    if (before)
        *before = __pebble_blocked;
    if (!set)
        return 0;
    switch (how) {
    case SIG_BLOCK: __pebble_blocked |= wanted; break;
    case SIG_UNBLOCK: __pebble_blocked &= ~wanted; break;
    case SIG_SETMASK: __pebble_blocked = wanted; break;
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
    *set = pending | *from_outside();
    return 0;
}
/* A process is a domain, and its number the domain's. */
pid_t getpid(void)
{
    return get_asid();
}
