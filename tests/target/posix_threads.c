// expect stdout counted 40000
// expect stdout passed 2000
// expect stdout all right
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int counter, queue, firsts, destroyed;

static void destroy(void *value)
{
    destroyed += value == &destroyed;
}
static void first(void)
{
    firsts++;
    pthread_key_create(&key, destroy);
}
static void *count(void *argument)
{
    pthread_once(&once, first);
    pthread_setspecific(key, &destroyed);
    for (int n = 0; n < 10000; n++) {
        pthread_mutex_lock(&lock);
        int before = counter;
        if (n % 500 == 0)
            sched_yield();
        counter = before + 1;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
static void *produce(void *argument)
{
    for (int n = 0; n < 1000; n++) {
        pthread_mutex_lock(&lock);
        while (queue == 3)
            pthread_cond_wait(&not_full, &lock);
        queue++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    char large[100000];
    memset(large, 1, sizeof large);
    pthread_exit((char *)argument + large[5000]);
}
static void *consume(void *argument)
{
    (void)argument;
    for (intptr_t n = 0;; n++) {
        pthread_mutex_lock(&lock);
        while (queue == 0)
            pthread_cond_wait(&not_empty, &lock);
        queue--;
        pthread_cond_broadcast(&not_full);
        pthread_mutex_unlock(&lock);
        if (n == 1999)
            return (void *)(n + 1);
    }
}
int main(void)
{
    pthread_t threads[4];
    void *result;
    for (intptr_t n = 0; n < 4; n++)
        if (pthread_create(&threads[n], NULL, count, (void *)n))
            return 1;
    for (intptr_t n = 0; n < 4; n++)
        if (pthread_join(threads[n], &result) || (intptr_t)result != n)
            return 2;
    printf("counted %d\n", counter);
    if (firsts != 1 || destroyed != 4)
        return 3;
    if (pthread_create(&threads[0], NULL, produce, NULL) || pthread_create(&threads[1], NULL, produce, NULL) ||
        pthread_create(&threads[2], NULL, consume, NULL))
        return 4;
    if (pthread_join(threads[0], &result) || (intptr_t)result != 1 || pthread_join(threads[1], NULL) || pthread_join(threads[2], &result))
        return 5;
    printf("passed %d\n", (int)(intptr_t)result);
    pthread_mutexattr_t kind;
    pthread_mutex_t again;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &kind);
    if (pthread_mutex_lock(&again) || pthread_mutex_lock(&again) || pthread_mutex_unlock(&again) || pthread_mutex_unlock(&again) ||
        pthread_mutex_unlock(&again) != EPERM || pthread_mutex_destroy(&again))
        return 6;
    if (pthread_mutex_lock(&lock) || pthread_mutex_trylock(&lock) != EBUSY || pthread_mutex_unlock(&lock))
        return 7;
    if (pthread_join(pthread_self(), NULL) != EDEADLK || !pthread_equal(pthread_self(), pthread_self()))
        return 8;
    printf("all right\n");
    return 0;
}
