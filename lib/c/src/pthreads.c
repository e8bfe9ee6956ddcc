/* POSIX threads on Pebble's threads and semaphores. */
#include "system.h"
#include "thread_signals.h"
#include "waits.h"
#include <pthread.h>

/* Rounds of destructors, as POSIX has it. */
#define ROUNDS 4
#define STACK  (256 * 1024ul)

struct pebble_pthread {
    void *(*entry)(void *);
    void *argument, *result;
    int done;      /* semaphore: it has ended */
    int state;     /* who frees it: the second of those that let go of it */
    int claimed;   /* it is detached, or somebody joins it: nobody else may */
    sigset_t *blocked, *pending; /* its variables, as long as it runs; before, these: */
    sigset_t inherited, early;   /* what its maker blocked, and which came meanwhile */
    struct pebble_pthread *next;
};
enum { HELD, LET_GO };

static __thread struct pebble_pthread *self;
static __thread void *values[PTHREAD_KEYS_MAX];
static struct key {
    int used;
    void (*destroy)(void *);
} keys[PTHREAD_KEYS_MAX];
static struct pebble_pthread first_thread;
/* All but the first that are not discarded: what is no thread's, or no longer, is found out before it is looked at. */
static struct pebble_pthread *threads;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* The guard is held. Where the list has a thread; at its end: it has none. */
static struct pebble_pthread **place_of(pthread_t thread)
{
    struct pebble_pthread **place = &threads;
    while (*place && *place != thread)
        place = &(*place)->next;
    return place;
}
static void take_out(struct pebble_pthread *thread)
{
    pthread_mutex_lock(&guard);
    struct pebble_pthread **place = place_of(thread);
    if (*place)
        *place = thread->next;
    pthread_mutex_unlock(&guard);
}
static void discard(struct pebble_pthread *thread)
{
    if (thread == &first_thread || __atomic_exchange_n(&thread->state, LET_GO, __ATOMIC_ACQ_REL) != LET_GO)
        return;
    take_out(thread);
    sem_destroy(thread->done);
    free(thread);
}
/* Whether the caller is the one that joins or detaches it: 0, or ESRCH or EINVAL. */
static int claim(pthread_t thread)
{
    pthread_mutex_lock(&guard);
    int known = thread == &first_thread || *place_of(thread) != NULL;
    int result = !known ? ESRCH : thread->claimed ? EINVAL : 0;
    if (known)
        thread->claimed = 1;
    pthread_mutex_unlock(&guard);
    return result;
}
int __pebble_with_signals(pthread_t thread, int (*act)(sigset_t *blocked, sigset_t *pending, int signal), int signal)
{
    pthread_mutex_lock(&guard);
    int known = thread == &first_thread || *place_of(thread) != NULL;
    /* One that has ended and is not joined takes any, and does nothing. */
    int result = !known ? -ESRCH : act && thread->blocked ? act(thread->blocked, thread->pending, signal) : 0;
    pthread_mutex_unlock(&guard);
    return result;
}
void pthread_exit(void *result)
{
    struct pebble_pthread *thread = pthread_self();
    for (int round = 0; round < ROUNDS; round++)
        for (int n = 0; n < PTHREAD_KEYS_MAX; n++) {
            void *value = values[n];
            values[n] = NULL;
            if (value && keys[n].used && keys[n].destroy)
                keys[n].destroy(value);
        }
    thread->result = result;
    pthread_mutex_lock(&guard);
    thread->blocked = thread->pending = NULL;
    pthread_mutex_unlock(&guard);
    if (thread != &first_thread)
        sem_post(thread->done);
    discard(thread);
    thread_exit();
}
static void run(void *argument)
{
    self = argument;
    pthread_mutex_lock(&guard);
    __pebble_blocked = self->inherited;
    __pebble_pending = self->early;
    self->blocked = &__pebble_blocked;
    self->pending = &__pebble_pending;
    pthread_mutex_unlock(&guard);
    pthread_exit(self->entry(self->argument));
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    struct pebble_pthread *new = malloc(sizeof *new);
    if (!new)
        return EAGAIN;
    *new = (struct pebble_pthread){.entry = entry, .argument = argument, .done = sem_create(0), .inherited = __pebble_blocked};
    if (attributes && attributes->detached) {
        new->state = LET_GO;
        new->claimed = 1;
    }
    *thread = new;
    new->blocked = &new->inherited;
    new->pending = &new->early;
    pthread_mutex_lock(&guard);
    new->next = threads;
    threads = new;
    pthread_mutex_unlock(&guard);
    int made = new->done < 0 ? new->done : __pebble_thread_on(attributes ? attributes->stack_bytes : STACK, run, new);
    if (made < 0) {
        new->state = LET_GO;
        discard(new);
        return EAGAIN;
    }
    return 0;
}
int pthread_join(pthread_t thread, void **result)
{
    if (thread == self || thread == &first_thread)
        return EDEADLK;
    int error = claim(thread);
    if (error)
        return error;
    if (sem_wait(thread->done) != 0) {
        thread->claimed = 0;
        return ESRCH;
    }
    if (result)
        *result = thread->result;
    take_out(thread);
    discard(thread);
    return 0;
}
int pthread_detach(pthread_t thread)
{
    int error = claim(thread);
    if (!error)
        discard(thread);
    return error;
}
pthread_t pthread_self(void)
{
    if (self)
        return self;
    first_thread.blocked = &__pebble_blocked;
    first_thread.pending = &__pebble_pending;
    return &first_thread;
}
int pthread_equal(pthread_t one, pthread_t other)
{
    return one == other;
}
int sched_yield(void)
{
    yield();
    return 0;
}
int pthread_attr_init(pthread_attr_t *attributes)
{
    *attributes = (pthread_attr_t){STACK, PTHREAD_CREATE_JOINABLE};
    return 0;
}
int pthread_attr_destroy(pthread_attr_t *attributes)
{
    (void)attributes;
    return 0;
}
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes)
{
    if (bytes < 2 * PAGE)
        return EINVAL;
    attributes->stack_bytes = bytes;
    return 0;
}
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *bytes)
{
    *bytes = attributes->stack_bytes;
    return 0;
}
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int detached)
{
    if (detached != PTHREAD_CREATE_JOINABLE && detached != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    attributes->detached = detached;
    return 0;
}

int __pebble_made_once(int *place)
{
    int semaphore = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    while (semaphore == 0) {
        int made = sem_create(0), none = 0;
        if (made <= 0)
            hrsleep(100000);
        else if (__atomic_compare_exchange_n(place, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return made;
        else
            sem_destroy(made);
        semaphore = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    }
    return semaphore;
}
/* Takes one; EDEADLK: nobody is left who could give it. A wait that was cancelled has not taken it. */
static int wait_for(int semaphore)
{
    int result;
    while ((result = sem_wait(semaphore)) == -ECANCELED)
        ;
    return result == 0 ? 0 : EDEADLK;
}
/* Those that wait are counted before they let go of the mutex, so that whoever signals with it held finds them. A wait may end
   without a signal, as POSIX allows. */
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    *condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    return 0;
}
int pthread_cond_destroy(pthread_cond_t *condition)
{
    if (condition->semaphore)
        sem_destroy(condition->semaphore);
    pthread_mutex_destroy(&condition->lock);
    condition->semaphore = 0;
    return 0;
}
int __pebble_wait_until(int semaphore, const struct timespec *until)
{
    /* How fast hrtime runs is the machine's affair: a stretch is so long that nobody minds how long it really is. */
    enum { STRETCH = 200000 };
    while (until) {
        struct timespec now;
        if (clock_gettime(CLOCK_REALTIME, &now) != 0)
            return errno;
        int over = now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
        int result = sem_timedwait(semaphore, over ? 0 : STRETCH);
        if (result == 0)
            return 0;
        if (over)
            return ETIMEDOUT;
    }
    return wait_for(semaphore);
}
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    if (until && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000))
        return EINVAL;
    int semaphore = __pebble_made_once(&condition->semaphore);
    pthread_mutex_lock(&condition->lock);
    condition->waiting++;
    pthread_mutex_unlock(&condition->lock);
    int result = pthread_mutex_unlock(mutex);
    if (result != 0)
        return result;
    int waited = __pebble_wait_until(semaphore, until);
    if (waited != 0) {
        pthread_mutex_lock(&condition->lock);
        int counted = condition->waiting > 0;
        condition->waiting -= counted;
        pthread_mutex_unlock(&condition->lock);
        /* Somebody has woken this one, or will in a moment, after all. */
        if (!counted && wait_for(semaphore) == 0)
            waited = 0;
    }
    result = pthread_mutex_lock(mutex);
    return result ? result : waited;
}
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return pthread_cond_timedwait(condition, mutex, NULL);
}
static int wake(pthread_cond_t *condition, int most)
{
    pthread_mutex_lock(&condition->lock);
    int woken = condition->waiting < most ? condition->waiting : most;
    condition->waiting -= woken;
    pthread_mutex_unlock(&condition->lock);
    for (int n = 0; n < woken; n++)
        sem_post(condition->semaphore);
    return 0;
}
int pthread_cond_signal(pthread_cond_t *condition)
{
    return wake(condition, 1);
}
int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return wake(condition, INT32_MAX);
}

int pthread_once(pthread_once_t *once, void (*first)(void))
{
    if (!__atomic_load_n(&once->done, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&once->lock);
        if (!once->done) {
            first();
            __atomic_store_n(&once->done, 1, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&once->lock);
    }
    return 0;
}
int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    for (pthread_key_t n = 0; n < PTHREAD_KEYS_MAX; n++) {
        int unused = 0;
        if (__atomic_compare_exchange_n(&keys[n].used, &unused, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            keys[n].destroy = destroy;
            *key = n;
            return 0;
        }
    }
    return EAGAIN;
}
int pthread_key_delete(pthread_key_t key)
{
    if (key >= PTHREAD_KEYS_MAX || !keys[key].used)
        return EINVAL;
    __atomic_store_n(&keys[key].used, 0, __ATOMIC_RELEASE);
    return 0;
}
void *pthread_getspecific(pthread_key_t key)
{
    return key < PTHREAD_KEYS_MAX ? values[key] : NULL;
}
int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= PTHREAD_KEYS_MAX || !keys[key].used)
        return EINVAL;
    values[key] = (void *)value;
    return 0;
}
