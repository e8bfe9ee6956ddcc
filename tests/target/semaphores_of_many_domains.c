// expect stdout each of 4 domains has 150 semaphores of its own
/* The scheduler's table of semaphores grows by pages of 256: P and V work on those of each page. */
#include <pebble.h>

enum { DOMAINS = 4, COUNT = 150 };

static int use(void)
{
    int semaphores[COUNT];
    for (int i = 0; i < COUNT; i++)
        if ((semaphores[i] = sem_create(i % 3)) < 0)
            return 1;
    /* The others make theirs, too. */
    hrsleep(20 * 1000 * 1000);
    for (int i = 0; i < COUNT; i++) {
        sem_post(semaphores[i]);
        for (int n = 0; n <= i % 3; n++)
            if (sem_trywait(semaphores[i]) != 0)
                return 2;
        if (sem_trywait(semaphores[i]) != -EAGAIN || sem_timedwait(semaphores[i], 1000) != -ETIMEDOUT)
            return 3;
    }
    for (int i = 0; i < COUNT; i++)
        if (sem_destroy(semaphores[i]) != 0)
            return 4;
    return 0;
}
int main(void)
{
    int children[DOMAINS];
    for (int n = 0; n < DOMAINS; n++) {
        children[n] = domain_fork(0);
        if (children[n] == 0)
            exit(use());
        if (children[n] < 0)
            return 10;
    }
    for (int n = 0; n < DOMAINS; n++) {
        int status = -1;
        if (domain_wait(children[n], &status) != 0 || status != 0)
            return 20 + status;
    }
    printf("each of %d domains has %d semaphores of its own\n", DOMAINS, COUNT);
    return 0;
}
