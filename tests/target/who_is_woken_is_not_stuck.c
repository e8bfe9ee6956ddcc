// expect stdout waits that ended for nothing: 0
// icount 10
// timeout 120
/* Two threads of a domain take turns, many others wait, and children of it end. When one ends, it is looked, thread by thread, whether
   its parent waits for something that can not come. That first one of the two waits, and then the other, does not mean that both
   do. */
#include <pebble.h>
enum { CYCLES = 300, IDLE = 40, TURNS = 8 };
static int first, second, never;
static volatile int spurious, work;

static void some_work(void)
{
    for (int n = 0; n < 1500; n++)
        work++;
}
static void wait_on(int semaphore)
{
    if (sem_wait(semaphore) != 0)
        spurious++;
}
static void idle(void *argument)
{
    (void)argument;
    for (;;)
        wait_on(never);
}
static void turns(void *argument)
{
    (void)argument;
    for (;;) {
        wait_on(first);
        some_work();
        sem_post(second);
    }
}
int main(void)
{
    int status;
    first = sem_create(0), second = sem_create(0), never = sem_create(0);
    for (int n = 0; n < IDLE; n++)
        thread_create(idle, 0, -1);
    thread_create(turns, 0, -1);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int child = domain_fork(0);
        if (child == 0)
            exit(0);
        for (int turn = 0; turn < TURNS; turn++) {
            sem_post(first);
            wait_on(second);
            some_work();
        }
        domain_wait(child, &status);
    }
    printf("waits that ended for nothing: %d\n", spurious);
    return 0;
}
