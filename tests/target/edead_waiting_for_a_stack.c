// expect stdout served by priority: 15 12 9
// expect stdout waiting when the server died: -202 -202 -202
/* A server with one stack: who finds none waits in the scheduler, the highest priority is served first, and a server's death ends
   the wait. */
#include <pebble.h>
static int enter, leave;
static word hold(word own)
{
    sem_post(enter);
    sem_wait(leave);
    return own;
}
static int portal, order[8], served, results[8];
static void client(void *priority)
{
    word result = invoke_portal(portal, (word)priority);
    int place = __atomic_fetch_add(&served, 1, __ATOMIC_RELAXED);
    order[place] = (long)priority;
    results[place] = result;
}
static int server(int ready)
{
    int child = domain_fork(0);
    if (child == 0) {
        portal_register("app.hold", "npi", hold, 0, 1);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    portal = portal_open("app.hold");
    return child;
}
/* One client inside, then three that wait for its stack. */
static void fill(int threads[4])
{
    static const long priorities[] = { 16, 9, 15, 12 };
    served = 0;
    threads[0] = thread_create(client, (void *)priorities[0], 16);
    sem_wait(enter);
    for (int i = 1; i < 4; i++)
        threads[i] = thread_create(client, (void *)priorities[i], priorities[i]);
    hrsleep(50000000);
}
int main(void)
{
    int ready = sem_create(0), threads[4], status;
    enter = sem_create(0), leave = sem_create(0);
    int child = server(ready);
    fill(threads);
    for (int i = 0; i < 4; i++) {
        sem_post(leave);
        if (i < 3)
            sem_wait(enter);
    }
    for (int i = 0; i < 4; i++)
        thread_join(threads[i]);
    printf("served by priority: %d %d %d\n", order[1], order[2], order[3]);
    fill(threads);
    domain_kill(child);
    for (int i = 0; i < 4; i++)
        thread_join(threads[i]);
    printf("waiting when the server died: %d %d %d\n", results[1], results[2], results[3]);
    domain_wait(child, &status);
    return results[0] != -EDEAD;
}
