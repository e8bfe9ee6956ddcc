/* Threads of C11, on pthreads. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

static int result_of(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}
struct begin {
    thrd_start_t entry;
    void *argument;
};
static void *enter(void *argument)
{
    struct begin begin = *(struct begin *)argument;
    free(argument);
    return (void *)(intptr_t)begin.entry(begin.argument);
}
int thrd_create(thrd_t *thread, thrd_start_t entry, void *argument)
{
    struct begin *begin = malloc(sizeof *begin);
    if (!begin)
        return thrd_nomem;
    *begin = (struct begin){entry, argument};
    int error = pthread_create(thread, NULL, enter, begin);
    if (error)
        free(begin);
    return result_of(error == EAGAIN ? ENOMEM : error);
}
int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int error = pthread_join(thread, &value);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return result_of(error);
}
int thrd_detach(thrd_t thread) { return result_of(pthread_detach(thread)); }
thrd_t thrd_current(void) { return pthread_self(); }
int thrd_equal(thrd_t one, thrd_t other) { return pthread_equal(one, other); }
void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
void thrd_yield(void) { sched_yield(); }
int thrd_sleep(const struct timespec *time, struct timespec *left) { return nanosleep(time, left) < 0 ? -2 : 0; }

int mtx_init(mtx_t *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return result_of(pthread_mutex_init(mutex, &attributes));
}
void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex); }
int mtx_lock(mtx_t *mutex) { return result_of(pthread_mutex_lock(mutex)); }
int mtx_trylock(mtx_t *mutex) { return result_of(pthread_mutex_trylock(mutex)); }
int mtx_timedlock(mtx_t *mutex, const struct timespec *until) { return result_of(pthread_mutex_timedlock(mutex, until)); }
int mtx_unlock(mtx_t *mutex) { return result_of(pthread_mutex_unlock(mutex)); }

int cnd_init(cnd_t *condition) { return result_of(pthread_cond_init(condition, NULL)); }
void cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition); }
int cnd_wait(cnd_t *condition, mtx_t *mutex) { return result_of(pthread_cond_wait(condition, mutex)); }
int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    return result_of(pthread_cond_timedwait(condition, mutex, until));
}
int cnd_signal(cnd_t *condition) { return result_of(pthread_cond_signal(condition)); }
int cnd_broadcast(cnd_t *condition) { return result_of(pthread_cond_broadcast(condition)); }

int tss_create(tss_t *key, tss_dtor_t destroy) { return result_of(pthread_key_create(key, destroy)); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return result_of(pthread_setspecific(key, value)); }
void call_once(once_flag *flag, void (*first)(void)) { pthread_once(flag, first); }
