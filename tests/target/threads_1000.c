// expect stdout 1000 threads made, sum 499500
// timeout 60
#include <pebble.h>
static int go, sum, thread[1000];
static void add(void *argument)
{
    sem_wait(go);
    __atomic_fetch_add(&sum, (int)(long)argument, __ATOMIC_RELAXED);
}
int main(void)
{
    go = sem_create(0);
    int made = 0;
    for (int i = 0; i < 1000; i++) {
        thread[i] = thread_create(add, (void *)(long)i, -1);
        if (thread[i] < 0) {
            printf("thread %d: %s\n", i, pebble_strerror(thread[i]));
            return 1;
        }
        made++;
    }
    for (int i = 0; i < 1000; i++)
        sem_post(go);
    for (int i = 0; i < 1000; i++)
        thread_join(thread[i]);
    printf("%d threads made, sum %d\n", made, sum);
    return 0;
}
