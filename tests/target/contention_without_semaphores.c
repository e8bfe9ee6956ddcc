// icount
// timeout 60
// expect stdout every lock was had
/* Children take every semaphore there is. Then a high thread meets a low one at a lock for the first time: it waits for the low one,
   and does not go round for ever above it. */
#include <pebble.h>

enum { LOW = 10, CHILDREN = 12, ROUNDS = 30 };

static volatile int stop;

static void low(void *argument)
{
    (void)argument;
    while (!stop)
        free(malloc(32));
}
int main(void)
{
    int go = sem_create(0), taken = sem_create(0), children[CHILDREN], count = 0;
    int thread = thread_create(low, 0, LOW);
    if (go < 0 || taken < 0 || thread < 0)
        return 1;
    while (count < CHILDREN) {
        int child = domain_fork(NULL);
        if (child < 0)
            break;
        if (child == 0) {
            stop = 1;
            while (sem_create(0) > 0)
                ;
            sem_post(taken);
            sem_wait(go);
            exit(0);
        }
        children[count++] = child;
        sem_wait(taken);
    }
    for (int round = 0; round < ROUNDS; round++) {
        hrsleep(500 + rand() % 4000);
        free(malloc(32));
    }
    stop = 1;
    if (sem_create(0) > 0)
        return 2;
    printf("every lock was had\n");
    for (int n = 0; n < count; n++) {
        domain_kill(children[n]);
        domain_wait(children[n], NULL);
    }
    return 0;
}
