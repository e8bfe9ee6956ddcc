// expect stdout all 8 callers were served, 2 at a time
#include <pebble.h>
static volatile int inside, most, served;
static word serve(void)
{
    int now = __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
    if (now > most)
        most = now;
    hrsleep(200000);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&served, 1, __ATOMIC_RELAXED);
    return 0;
}
static int portal;
static void client(void *argument)
{
    (void)argument;
    invoke_portal(portal);
}
int main(void)
{
    portal_register("app.serve", "np", serve, 0, 2);
    int done = sem_create(0);
    int child = domain_fork(0);
    if (child == 0) {
        int threads[8];
        portal = portal_open("app.serve");
        for (int i = 0; i < 8; i++)
            threads[i] = thread_create(client, 0, -1);
        for (int i = 0; i < 8; i++)
            thread_join(threads[i]);
        sem_post(done);
        exit(0);
    }
    sem_wait(done);
    printf("all %d callers were served, %d at a time\n", served, most);
    return 0;
}
