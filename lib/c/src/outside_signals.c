/* Signals from outside this domain, Ctrl-C among them: init keeps them for a component until a thread of it asks. There is one from the time
   on when the program says what is to be done for one of them; until then they do what they do by default, which is the sender's
   business. */
#include "signals.h"
#include <sys/lock.h>

static int own_signals, own_signal;
static int waits;
static uint64_t taken;

/* What others send: the rest are a program's own, and would cost a thread for nothing. */
#define FROM_OUTSIDE                                                                                                                     \
    (__pebble_bit(SIGHUP) | __pebble_bit(SIGINT) | __pebble_bit(SIGQUIT) | __pebble_bit(SIGTERM) | __pebble_bit(SIGUSR1) | __pebble_bit(SIGUSR2))

/* Before main, in the first thread. */
static void take_waited_for(void);
static __attribute__((constructor)) void first(void)
{
    __pebble_first_blocked = &__pebble_blocked;
    __pebble_take_waited_for = take_waited_for;
}
static void wait_for_signals(void *unused)
{
    (void)unused;
    word signal;
    while ((signal = pebble_init_own_signal(own_signal)) > 0)
        if (signal < NSIG)
            __pebble_from_outside(signal);
}
/* A copy of the domain gets none: init did not start it. */
static void in_copy(void)
{
    first();
    waits = 0;
    taken = 0;
}
/* The signals of which the program has said what is to be done. */
static uint64_t asked_for(void)
{
    uint64_t set = 0;
    for (int n = 1; n < NSIG; n++)
        if (FROM_OUTSIDE & __pebble_bit(n) && (__pebble_actions[n].sa_handler != SIG_DFL || __pebble_waited_for & __pebble_bit(n)))
            set |= __pebble_bit(n);
    return set;
}
/* Says what is taken now. Where that can not be, nothing is, which is as without a handler. The lock is held. */
static void take(void)
{
    uint64_t wanted = asked_for();
    if (wanted == taken || __pebble_opened(&own_signals, PEBBLE_INIT_OWN_SIGNALS) < 0 || __pebble_opened(&own_signal, PEBBLE_INIT_OWN_SIGNAL) < 0)
        return;
    if (pebble_init_own_signals(own_signals, wanted) < 0)
        return;
    taken = wanted;
    if (waits)
        return;
    __pebble_in_copy[COPY_OF_SIGNALS] = in_copy;
    waits = thread_create(wait_for_signals, NULL, -1) >= 0;
    if (!waits) {
        pebble_init_own_signals(own_signals, 0);
        taken = 0;
    }
}
static void take_waited_for(void)
{
    __pebble_raise = raise;
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    take();
    __retarget_lock_release_recursive(&__lock___libc_recursive_mutex);
}
static int invalid(void)
{
    errno = EINVAL;
    return -1;
}
int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    __pebble_raise = raise;
    if (signal <= 0 || signal >= NSIG || (action && (signal == SIGKILL || signal == SIGSTOP)) ||
        (action && action->sa_flags & ~(SA_NOCLDSTOP | SA_RESTART | SA_RESETHAND | SA_NODEFER | SA_ONSTACK)))
        return invalid();
    __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex);
    struct sigaction had = __pebble_actions[signal];
    if (action) {
        __pebble_actions[signal] = *action;
        take();
    }
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
/* To another domain: 0, or an error. One that it does not take does with it what it does by default. */
static int send(pid_t pid, int signal)
{
    static int init_signal;
    if (signal != 0 && signal != SIGKILL && __pebble_opened(&init_signal, PEBBLE_INIT_SIGNAL) >= 0 &&
        pebble_init_signal(init_signal, pid, signal) == 0)
        return 0;
    if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT)
        return domain_kill(pid);
    return -EPERM;
}
int kill(pid_t pid, int signal)
{
    if (signal < 0 || signal >= NSIG)
        return invalid();
    if (pid == get_asid()) {
        /* It is the program's: where this thread blocks it, another may let it through, or wait for it. */
        if (signal && !(__pebble_blocked & __pebble_bit(signal)))
            return raise(signal);
        if (signal)
            __pebble_from_outside(signal);
        return 0;
    }
    int result = send(pid, signal);
    if (result < 0) {
        errno = result == -EACCESS || result == -EPERM ? EPERM : ESRCH;
        return -1;
    }
    return 0;
}
