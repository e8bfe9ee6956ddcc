// ways plain touch sandbox nested nested-touch slices strict strict-touch
/* Priority inversion: a low thread is preempted inside the portal manager, with its lock held, by a high one, which then wants that
   lock; meanwhile a middle one does not stop. The high one waits for the low one alone, who inherits its priority, and not for the
   middle one. Not on the strict machine in a sandbox, an open flaw (the book, "The walls"): there it is held up with seeds 19 and 31 of the first 60
   (`./pebble exec --on strict --system exec-touch --slices 19 tests/hostile/lock_held_below_a_middle_thread.c 1 8`). */
#include "include/hostile.h"

enum { LOW = 10, MIDDLE = 15, ROUNDS = 40, LONG = 1000000 };

static int go;
static volatile int done, held_up, stop;

static void low(void *argument)
{
    (void)argument;
    while (!stop)
        sem_destroy(sem_create(0));
}
static void middle(void *argument)
{
    (void)argument;
    while (sem_wait(go) == 0 && !stop) {
        unsigned long long start = hrtime();
        while (!done && hrtime() - start < LONG)
            ;
        held_up += !done;
    }
}
static int attack(void)
{
    go = sem_create(0);
    int threads[] = {thread_create(low, 0, LOW), thread_create(middle, 0, MIDDLE)};
    wall(1, go > 0 && threads[0] > 0 && threads[1] > 0);
    for (int round = 0; round < ROUNDS && held_up == 0; round++) {
        hrsleep(1000 + rand() % 8000);
        done = 0;
        sem_post(go);
        sem_destroy(sem_create(0));
        done = 1;
    }
    wall(2, held_up == 0);
    stop = 1;
    sem_post(go);
    return 0;
}
