// expect stdout right
/* POSIX's semaphores: counted, waited for, given up in time, between threads that take turns. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 2000, THREADS = 4 };
static sem_t full, empty, done;
static int turn, total;

static void *takes(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        sem_wait(&full);
        total += turn;
        sem_post(&empty);
    }
    sem_post(&done);
    return unused;
}
int main(void)
{
    int value = -1;
    pthread_t thread;
    if (sem_init(&empty, 0, 1) || sem_init(&full, 0, 0) || sem_init(&done, 0, 0) || sem_init(&done, 1, 0) != -1 || errno != ENOSYS)
        return 1;
    if (sem_getvalue(&empty, &value) || value != 1 || sem_trywait(&full) != -1 || errno != EAGAIN)
        return 2;
    for (int n = 0; n < THREADS; n++)
        pthread_create(&thread, NULL, takes, NULL);
    for (int n = 0; n < ROUNDS * THREADS; n++) {
        sem_wait(&empty);
        turn = n & 1;
        sem_post(&full);
    }
    for (int n = 0; n < THREADS; n++)
        sem_wait(&done);
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += soon.tv_nsec >= 950000000;
    soon.tv_nsec = (soon.tv_nsec + 50000000) % 1000000000;
    if (sem_timedwait(&full, &soon) != -1 || errno != ETIMEDOUT || sem_getvalue(&full, &value) || value != 0)
        return 3;
    if (sem_post(&full) || sem_timedwait(&full, &soon) || sem_destroy(&full) || sem_destroy(&empty) || sem_destroy(&done))
        return 4;
    puts(total == ROUNDS * THREADS / 2 ? "right" : "wrong");
    return 0;
}
