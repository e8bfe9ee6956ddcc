/* Mutexes of POSIX threads. A mutex is a word that says who holds it, and how many wait: all of it is in its memory, so it is the same one for
   every domain that sees that memory: a task and its domains of protection, or two domains with a page in common. Who waits does so in the scheduler
   for the holder, by a key on which all of them agree: the address, which in a task means the same everywhere, or what the mutex has been given
   as it was initialized to be shared. locks.c has the same for the C library's own locks.

   To ask which thread one is takes a call. A mutex that need not know is taken without a name (HELD), and the first that waits for such a holder
   notes in the mutex who it is itself: the others wait for that one, and who lets go wakes it. What is taken after a wait has its holder's name.

   A robust mutex has the name that the scheduler gives (lib/abi/src/lock.rs), which tells a thread and a domain from all others: whether
   they have ended, the scheduler knows. */
#include "system.h"
#include <pthread.h>

/* In place of a holder's number: the idle thread's, which takes no mutex. */
enum { HELD = 1 };
/* In a mutex's kind, beside its type. */
enum { TYPES = 3, ROBUST = 4 };
/* Its holder has ended, and who has it now has not said that what it protects is consistent; nobody ever will. */
enum { INCONSISTENT = 1, LOST = 2 };
/* Asked of the scheduler in place of how often locks have been let go. */
enum { TURNS = -1, NAME = -2 };
enum { LATER = 100000 };
/* Of a name: the thread, and its index alone. */
enum { THREAD = 0x7fffffff, THREAD_INDEX = 4095 };

static word key(pthread_mutex_t *mutex)
{
    return mutex->key ? mutex->key : (word)mutex;
}
static word ask(pthread_mutex_t *mutex, word holder, word turns)
{
    return invoke_portal(SYS_LOCK_WAIT, key(mutex), holder, turns);
}
static inline int take(pthread_mutex_t *mutex, long from, long to)
{
    return __atomic_compare_exchange_n(&mutex->word, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
/* How this thread is named as the holder; < 0: it can not be. */
static long name(pthread_mutex_t *mutex)
{
    return mutex->kind & ROBUST ? ask(mutex, 0, NAME) : get_thread();
}
/* Whom to wait for where the holder is not known; 0: this thread, `own`, is the first. */
static long first_of(pthread_mutex_t *mutex, int own)
{
    int first = 0;
    if (__atomic_compare_exchange_n(&mutex->first, &first, own, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return 0;
    return first == own ? 0 : first;
}
/* Takes it from `dead`, who has ended. */
static int inherit(pthread_mutex_t *mutex, long dead, long own)
{
    if (!take(mutex, dead, own))
        return 0;
    mutex->state |= INCONSISTENT;
    mutex->depth = 0;
    return 1;
}
static int wait_for(pthread_mutex_t *mutex, long own)
{
    int result = 0;
    __atomic_fetch_add(&mutex->waiters, 1, __ATOMIC_SEQ_CST); /* before the word is looked at */
    for (;;) {
        word turns = ask(mutex, 0, TURNS);
        long seen = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED);
        if (seen == 0) {
            if (take(mutex, 0, own))
                break;
            continue;
        }
        long holder = seen == HELD ? first_of(mutex, own) : seen;
        word waited = turns < 0 ? turns : ask(mutex, holder, turns);
        if (waited == -EOWNERDEAD) {
            result = EOWNERDEAD;
            if (inherit(mutex, seen, own))
                break;
            result = 0;
        } else if (waited == -EINVAL && ((seen ^ own) & THREAD) == 0) {
            result = EDEADLK;
            break;
        } else if (waited == -ESRCH && seen == HELD && holder != 0) {
            /* Who was the first has ended. */
            int gone = holder;
            __atomic_compare_exchange_n(&mutex->first, &gone, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        } else if (waited < 0)
            hrsleep(LATER);
    }
    int first = own & THREAD_INDEX;
    __atomic_compare_exchange_n(&mutex->first, &first, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&mutex->waiters, 1, __ATOMIC_RELAXED);
    return result;
}
/* Who had it until now. */
static inline long let_go(pthread_mutex_t *mutex)
{
    long holder = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED);
    /* The order is for the compiler: all threads share a hart. As an atomic store the compiler takes an atomic access, which waits for memory. */
    __atomic_signal_fence(__ATOMIC_RELEASE);
    *(volatile long *)&mutex->word = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return holder;
}
/* They wait for that one, or for the first of them. Its name need not be this thread's: a copy of a domain has what its parent held. */
static __attribute__((noinline)) int pass_on(pthread_mutex_t *mutex, long holder)
{
    int first = holder == HELD ? __atomic_load_n(&mutex->first, __ATOMIC_RELAXED) : holder;
    invoke_portal(SYS_LOCK_RELEASE, key(mutex), (word)(first & THREAD_INDEX));
    return 0;
}
/* This thread has just got it. */
static int got(pthread_mutex_t *mutex, int result)
{
    if ((result == 0 || result == EOWNERDEAD) && mutex->state & LOST) {
        pass_on(mutex, let_go(mutex));
        return ENOTRECOVERABLE;
    }
    return result;
}
static int again(pthread_mutex_t *mutex, int error)
{
    if ((mutex->kind & TYPES) != PTHREAD_MUTEX_RECURSIVE)
        return error;
    mutex->depth++;
    return 0;
}
static int holds(pthread_mutex_t *mutex, long own)
{
    return __atomic_load_n(&mutex->word, __ATOMIC_RELAXED) == own;
}
static __attribute__((noinline)) int lock_slowly(pthread_mutex_t *mutex)
{
    long own = name(mutex);
    if (own < 0)
        return -own;
    if (mutex->kind == PTHREAD_MUTEX_NORMAL)
        return wait_for(mutex, own);
    if (holds(mutex, own))
        return again(mutex, EDEADLK);
    return got(mutex, take(mutex, 0, own) ? 0 : wait_for(mutex, own));
}
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (mutex->kind == PTHREAD_MUTEX_NORMAL && take(mutex, 0, HELD))
        return 0;
    return lock_slowly(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (mutex->kind == PTHREAD_MUTEX_NORMAL)
        return take(mutex, 0, HELD) ? 0 : EBUSY;
    long own = name(mutex);
    if (own < 0)
        return -own;
    if (holds(mutex, own))
        return again(mutex, EBUSY);
    if (take(mutex, 0, own))
        return got(mutex, 0);
    long seen = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED);
    if (mutex->kind & ROBUST && seen && ask(mutex, seen, TURNS) == -EOWNERDEAD && inherit(mutex, seen, own))
        return got(mutex, EOWNERDEAD);
    return EBUSY;
}
static __attribute__((noinline)) int unlock_named(pthread_mutex_t *mutex)
{
    if (!holds(mutex, name(mutex)))
        return EPERM;
    if (mutex->depth > 0) {
        mutex->depth--;
        return 0;
    }
    /* Who has found it so and has not made it good leaves it so to all others. */
    if (mutex->state & INCONSISTENT)
        mutex->state |= LOST;
    long holder = let_go(mutex);
    return __atomic_load_n(&mutex->waiters, __ATOMIC_RELAXED) ? pass_on(mutex, holder) : 0;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (mutex->kind != PTHREAD_MUTEX_NORMAL)
        return unlock_named(mutex);
    long holder = let_go(mutex);
    return __atomic_load_n(&mutex->waiters, __ATOMIC_RELAXED) ? pass_on(mutex, holder) : 0;
}
int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    if (!(mutex->kind & ROBUST) || mutex->state != INCONSISTENT || !holds(mutex, name(mutex)))
        return EINVAL;
    mutex->state = 0;
    return 0;
}
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    *mutex = (pthread_mutex_t){.kind = attributes ? attributes->kind : PTHREAD_MUTEX_NORMAL};
    /* Others may see it at another address. Which key it is does not matter, as long as few others have it. */
    if (attributes && attributes->shared)
        mutex->key = (word)mutex ^ (word)get_asid() << 40;
    return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    if (mutex->word)
        return EBUSY;
    *mutex = (pthread_mutex_t){0};
    return 0;
}
int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    *attributes = (pthread_mutexattr_t){PTHREAD_MUTEX_DEFAULT, PTHREAD_PROCESS_PRIVATE};
    return 0;
}
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind)
{
    if (kind < PTHREAD_MUTEX_NORMAL || kind > PTHREAD_MUTEX_ERRORCHECK)
        return EINVAL;
    attributes->kind = (attributes->kind & ROBUST) | kind;
    return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind)
{
    *kind = attributes->kind & TYPES;
    return 0;
}
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust)
{
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
        return EINVAL;
    attributes->kind = (attributes->kind & TYPES) | (robust ? ROBUST : 0);
    return 0;
}
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attributes, int *robust)
{
    *robust = attributes->kind & ROBUST ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;
    return 0;
}
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attributes->shared = shared;
    return 0;
}
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared)
{
    *shared = attributes->shared;
    return 0;
}
