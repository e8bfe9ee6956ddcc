/* POSIX threads on Pebble's: the parts that programs use. Cancellation is not among them. */
#ifndef PEBBLE_PTHREAD_H
#define PEBBLE_PTHREAD_H
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct pebble_pthread *pthread_t;
typedef struct {
    size_t stack_bytes;
    int detached;
} pthread_attr_t;
enum { PTHREAD_CREATE_JOINABLE, PTHREAD_CREATE_DETACHED };

enum { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_DEFAULT = PTHREAD_MUTEX_NORMAL };
enum { PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST };
enum { PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED };
typedef struct {
    long word;          /* 0: free; else who holds it */
    int waiters, first; /* how many wait; who waits for a holder that has not said who it is */
    int depth, kind, state;
    long key;           /* what the scheduler calls it; 0: its address */
} pthread_mutex_t;
typedef struct {
    int kind, shared;
} pthread_mutexattr_t;
#define PTHREAD_MUTEX_INITIALIZER {0, 0, 0, 0, PTHREAD_MUTEX_NORMAL, 0, 0}
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {0, 0, 0, 0, PTHREAD_MUTEX_RECURSIVE, 0, 0}

typedef struct {
    pthread_mutex_t lock;
    int semaphore, waiting;
} pthread_cond_t;
typedef struct {
    clockid_t clock;
} pthread_condattr_t;
#define PTHREAD_COND_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, 0, 0}

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int readers, writers, writes; /* who read, who wait to write, whether somebody writes */
} pthread_rwlock_t;
typedef struct {
    int none;
} pthread_rwlockattr_t;
#define PTHREAD_RWLOCK_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0}

typedef struct {
    pthread_mutex_t lock;
    int done;
} pthread_once_t;
#define PTHREAD_ONCE_INIT {PTHREAD_MUTEX_INITIALIZER, 0}

typedef unsigned pthread_key_t;
#define PTHREAD_KEYS_MAX 32

/* Each returns 0, or an error as errno has it. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
void pthread_exit(void *result) __attribute__((noreturn));
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);
int pthread_kill(pthread_t thread, int signal); /* a handler runs in the thread that calls this */
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *bytes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int detached);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_consistent(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attributes, int *robust);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared);

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);

int pthread_once(pthread_once_t *once, void (*first)(void));
int pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

#ifdef __cplusplus
}
#endif
#endif
