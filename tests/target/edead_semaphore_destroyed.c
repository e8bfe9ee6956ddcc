// expect stdout the waiter got -202
#include <pebble.h>
static int sem, result;
static void waiter(void *argument)
{
    (void)argument;
    result = sem_wait(sem);
}
int main(void)
{
    sem = sem_create(0);
    int thread = thread_create(waiter, 0, -1);
    yield();
    sem_destroy(sem);
    thread_join(thread);
    printf("the waiter got %d\n", result);
    return 0;
}
