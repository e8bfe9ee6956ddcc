// expect stdout the call: -202, the server goes on: 7
// expect stdout the window is closed: 1
/* A server that ends the thread of a call ends the call: the thread is its caller's, and what the call has opened is closed. */
#include <pebble.h>
static char page[4096] __attribute__((aligned(4096)));
static char *seen;
static word leave(char *window)
{
    seen = window;
    thread_exit();
    return 0;
}
static word still_here(void) { return 7; }
static word look(void) { return *seen; }
int main(void)
{
    int ready = sem_create(0), status;
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.leave", "nmw", leave, 0, 2);
        portal_register("app.still", "nm", still_here, 0, 0);
        portal_register("app.look", "nm", look, 0, 0);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    page[0] = 1;
    word result = invoke_portal(portal_open("app.leave"), page);
    printf("the call: %ld, the server goes on: %ld\n", result, invoke_portal(portal_open("app.still")));
    printf("the window is closed: %d\n", invoke_portal(portal_open("app.look")) == -EDEAD);
    domain_wait(server, &status);
    return 0;
}
