// expect stdout not admitted: not allowed by the manifest
// expect stdout admitted: 42
// expect stdout withdrawn in the call: 7, then the other side died
// expect stdout withdrawn: not allowed by the manifest
// expect stdout nobody: No such process
// expect stdout all admitted: 42
// expect stdout another's name: No such file or directory
// expect stdout something else: Invalid argument
#include <pebble.h>

static int inside, go;

static word answer(void)
{
    return 42;
}
/* Is withdrawn from its caller meanwhile. */
static word wait_inside(void)
{
    sem_post(inside);
    sem_wait(go);
    return 7;
}
int main(void)
{
    int ready = sem_create(0), next = sem_create(0), never = sem_create(0);
    inside = sem_create(0), go = sem_create(0);
    int client = get_asid();
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.answer", "np", answer, 0, 2);
        portal_register("app.wait", "np", wait_inside, 0, 2);
        portal_admit("app.answer", 0);
        sem_post(ready);
        sem_wait(next);
        portal_admit("app.answer", client);
        sem_post(ready);
        sem_wait(inside);
        portal_withdraw("app.wait", client);
        sem_post(go);
        sem_wait(next);
        portal_withdraw("app.answer", client);
        sem_post(ready);
        sem_wait(next);
        portal_admit_all("app.answer");
        printf("nobody: %s\n", pebble_strerror(portal_admit("app.answer", 500)));
        sem_post(ready);
        sem_wait(never);
    }
    sem_wait(ready);
    printf("not admitted: %s\n", pebble_strerror(portal_open("app.answer")));
    sem_post(next);
    sem_wait(ready);
    int portal = portal_open("app.answer"), waits = portal_open("app.wait");
    printf("admitted: %ld\n", invoke_portal(portal));
    word first = invoke_portal(waits);
    printf("withdrawn in the call: %ld, then %s\n", first, pebble_strerror(invoke_portal(waits)));
    sem_post(next);
    sem_wait(ready);
    printf("withdrawn: %s\n", pebble_strerror(portal_open("app.answer")));
    sem_post(next);
    sem_wait(ready);
    printf("all admitted: %ld\n", invoke_portal(portal_open("app.answer")));
    printf("another's name: %s\n", pebble_strerror(portal_admit("app.answer", client)));
    printf("something else: %s\n", pebble_strerror(portal_admit("", client)));
    return 0;
}
