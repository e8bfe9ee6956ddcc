/* Priority inversion: a low thread is preempted inside the portal manager, with its lock held, by a high one, which then wants that
   lock; a middle one is ready. The high one waits for the low one alone, who inherits its priority, and the middle one does not run
   before the high one goes on: not at all, also while the account's threads are demoted and restored. */
#include "include/hostile.h"

enum { LOW = 10, MIDDLE = 15, ROUNDS = 160 };

static int go;
static volatile int done, held_up, stop, moved;

static void low(void *argument)
{
    (void)argument;
    for (; !stop; moved++)
        sem_destroy(sem_create(0));
}
static void middle(void *argument)
{
    (void)argument;
    while (sem_wait(go) == 0 && !stop)
        held_up += !done;
}
static int attack(void)
{
    go = sem_create(0);
    int threads[] = {thread_create(low, 0, LOW), thread_create(middle, 0, MIDDLE)};
    wall(1, go > 0 && threads[0] > 0 && threads[1] > 0);
    for (int round = 0; round < hostile_rounds(ROUNDS) && held_up == 0; round++) {
        /* Until the low one has run: it is interrupted anywhere. */
        int before = moved;
        for (unsigned most = 8000; moved == before; most += most / 2)
            hrsleep(1000 + rand() % most);
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
