/* Signals: raised by the thread that handles them, or sent from outside, which outside_signals.c waits for. */
#include "signals.h"
#include <sys/lock.h>
#include <unistd.h>

struct sigaction __pebble_actions[NSIG];
sigset_t __pebble_waiting, __pebble_waited_for;
void (*__pebble_take_waited_for)(void);
sigset_t *__pebble_first_blocked;
void (*__pebble_handled)(void);
/* A signal is the thread's that raises it, and so waits for that thread to let it through. */
#define pending __pebble_pending
/* Nobody can block or ignore these. */
#define ALWAYS (__pebble_bit(SIGKILL) | __pebble_bit(SIGSTOP))

/* The stack for handlers of SA_ONSTACK. */
static __thread stack_t other_stack;
static __thread int has_other_stack, on_other_stack;

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
void __pebble_handle(int signal)
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
    if (action.sa_flags & SA_ONSTACK && has_other_stack && !on_other_stack) {
        on_other_stack = 1;
        __pebble_call_on((char *)other_stack.ss_sp + other_stack.ss_size, action.sa_handler, signal);
        on_other_stack = 0;
    } else {
        action.sa_handler(signal);
    }
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
            __pebble_handle(n);
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
    else if (__pebble_handled)
        __pebble_handled();
}
int raise(int signal)
{
    if (bad(signal))
        return invalid();
    __atomic_fetch_or(&pending, __pebble_bit(signal), __ATOMIC_SEQ_CST);
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
    __pebble_blocked &= ~ALWAYS;
    handle_pending();
    return 0;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return sigprocmask(how, set, before) < 0 ? errno : 0;
}
int sigpending(sigset_t *set)
{
    *set = pending | __pebble_waiting;
    return 0;
}
int sigaltstack(const stack_t *restrict wanted, stack_t *restrict before)
{
    if (before)
        *before = (stack_t){other_stack.ss_sp, on_other_stack ? SS_ONSTACK : has_other_stack ? 0 : SS_DISABLE, other_stack.ss_size};
    if (!wanted)
        return 0;
    int error = on_other_stack                                                       ? EPERM
                : wanted->ss_flags & ~SS_DISABLE                                     ? EINVAL
                : !(wanted->ss_flags & SS_DISABLE) && wanted->ss_size < MINSIGSTKSZ ? ENOMEM
                                                                                     : 0;
    if (error) {
        errno = error;
        return -1;
    }
    has_other_stack = !(wanted->ss_flags & SS_DISABLE);
    other_stack = *wanted;
    return 0;
}
int siginterrupt(int signal, int interrupts)
{
    (void)interrupts;
    return bad(signal) ? invalid() : 0;
}
#undef sigemptyset
#undef sigfillset
#undef sigaddset
#undef sigdelset
#undef sigismember
int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}
int sigfillset(sigset_t *set)
{
    *set = ~(sigset_t)0;
    return 0;
}
int sigaddset(sigset_t *set, int signal)
{
    if (bad(signal))
        return invalid();
    *set |= __pebble_bit(signal);
    return 0;
}
int sigdelset(sigset_t *set, int signal)
{
    if (bad(signal))
        return invalid();
    *set &= ~__pebble_bit(signal);
    return 0;
}
int sigismember(const sigset_t *set, int signal)
{
    return bad(signal) ? invalid() : (*set & __pebble_bit(signal)) != 0;
}
/* A process is a domain, and its number the domain's. */
pid_t getpid(void)
{
    return get_asid();
}
