// expect stdout while it is lent on: nothing
// expect stdout after the middle one's death: nothing
// expect stdout the call ended with the other side died, the page says abc
// expect stdout after the call: nothing
/* A lends to B, B lends the same page on to C, and ends while C has it: the page is A's, and C has it until it returns. */
#include "include/all_holds.h"
static char page[4096] __attribute__((aligned(4096)));
static int reached, go, check;
static word pass(char *window) { return invoke_portal(portal_open("app.third"), window); }
static word third(char *window)
{
    sem_post(reached);
    sem_wait(go);
    window[2] = 'c';
    return 0;
}
static int server(int ready, const char *name, word (*entry)())
{
    int child = domain_fork(0);
    if (child)
        return child;
    int end = sem_create(0);
    if (portal_register(name, "npw", entry, 0, 1))
        exit(1);
    sem_post(ready);
    sem_wait(end);
    exit(0);
}
static void look(const char *when)
{
    if (all_holds(check, when))
        printf("%s: nothing\n", when);
}
static word result;
static void call(void *portal) { result = invoke_portal((int)(long)portal, page); }

int main(void)
{
    int ready = sem_create(0), status;
    reached = sem_create(0), go = sem_create(0);
    check = portal_open("inspect.check");
    int c = server(ready, "app.third", third);
    sem_wait(ready);
    int b = server(ready, "app.second", pass);
    sem_wait(ready);
    page[0] = 'a', page[1] = 'b';
    int thread = thread_create(call, (void *)(long)portal_open("app.second"), -1);
    sem_wait(reached);
    look("while it is lent on");
    domain_kill(b);
    domain_wait(b, &status);
    look("after the middle one's death");
    sem_post(go);
    thread_join(thread);
    printf("the call ended with %s, the page says %s\n", pebble_strerror(result), page);
    look("after the call");
    domain_kill(c);
    domain_wait(c, &status);
    return 0;
}
