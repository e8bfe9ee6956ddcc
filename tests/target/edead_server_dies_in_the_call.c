// expect stdout the call ended with the other side died
// expect stdout and the next one with the other side died
// expect stderr store page fault at address 0x8
#include <pebble.h>
static word die(void)
{
    *(volatile int *)8 = 1;
    return 0;
}
int main(void)
{
    int ready = sem_create(0), never = sem_create(0);
    int child = domain_fork(0);
    if (child == 0) {
        portal_register("app.die", "np", die, 0, 1);
        sem_post(ready);
        sem_wait(never);
        exit(0);
    }
    sem_wait(ready);
    int portal = portal_open("app.die"), status;
    printf("the call ended with %s\n", pebble_strerror(invoke_portal(portal)));
    printf("and the next one with %s\n", pebble_strerror(invoke_portal(portal)));
    domain_wait(child, &status);
    return status != -15;
}
