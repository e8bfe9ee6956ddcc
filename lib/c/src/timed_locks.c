/* Waits of threads that end at a time, by CLOCK_REALTIME, and locks for readers and writers. */
#include "system.h"
#include <pthread.h>
#include <time.h>

/* How long nobody looks whether a lock is free that is waited for until a time. */
static const struct timespec PAUSE = {0, 500000};

static int valid(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}
static int is_over(const struct timespec *until)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec > until->tv_sec ||
           (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}
/* The lock is not queued for: who gives up would leave a place that is given to it. */
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    int result;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY) {
        if (!valid(until))
            return EINVAL;
        if (is_over(until))
            return ETIMEDOUT;
        nanosleep(&PAUSE, NULL);
    }
    return result;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    *lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    if (lock->readers || lock->writes)
        return EBUSY;
    pthread_cond_destroy(&lock->changed);
    return pthread_mutex_destroy(&lock->lock);
}
/* Who wants to write comes before those who want to read. */
static int for_reading(pthread_rwlock_t *lock, int waits)
{
    int result = 0;
    pthread_mutex_lock(&lock->lock);
    while (result == 0 && (lock->writes || lock->writers))
        result = waits ? pthread_cond_wait(&lock->changed, &lock->lock) : EBUSY;
    lock->readers += result == 0;
    pthread_mutex_unlock(&lock->lock);
    return result;
}
static int for_writing(pthread_rwlock_t *lock, int waits)
{
    int result = 0;
    pthread_mutex_lock(&lock->lock);
    lock->writers++;
    while (result == 0 && (lock->writes || lock->readers))
        result = waits ? pthread_cond_wait(&lock->changed, &lock->lock) : EBUSY;
    lock->writers--;
    lock->writes |= result == 0;
    /* Readers may have waited for who gives up here. */
    if (waits && result != 0)
        pthread_cond_broadcast(&lock->changed);
    pthread_mutex_unlock(&lock->lock);
    return result;
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return for_reading(lock, 1); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return for_reading(lock, 0); }
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return for_writing(lock, 1); }
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return for_writing(lock, 0); }
int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    pthread_mutex_lock(&lock->lock);
    if (lock->writes)
        lock->writes = 0;
    else if (lock->readers)
        lock->readers--;
    pthread_cond_broadcast(&lock->changed);
    pthread_mutex_unlock(&lock->lock);
    return 0;
}
