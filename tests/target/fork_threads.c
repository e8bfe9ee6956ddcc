// expect stdout the child runs in the same domain: 1
// expect stdout the parent sees what the child wrote: 42
#include <pebble.h>
static int shared, done, asid;
int main(void)
{
    done = sem_create(0);
    asid = get_asid();
    int local = 41;
    int thread = fork();
    if (thread == 0) {
        printf("the child runs in the same domain: %d\n", get_asid() == asid);
        shared = local + 1;
        sem_post(done);
        thread_exit();
    }
    sem_wait(done);
    printf("the parent sees what the child wrote: %d\n", shared);
    return thread <= 0 || thread_join(thread) != 0;
}
