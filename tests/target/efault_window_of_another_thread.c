// expect stdout its own window is lent on: 0
// expect stdout another thread's window: -14
/* What a call has lent to one thread of a server can not be lent on by another, for it would stay open after the call. */
#include <pebble.h>
static char page[4096] __attribute__((aligned(4096)));
static char *seen;
static int given, tried, next;
static word result;
static word touch(char *window) { return window[0] - 'a'; }
static void other(void *unused)
{
    sem_wait(given);
    result = invoke_portal(next, seen);
    sem_post(tried);
}
static word take(char *window)
{
    seen = window;
    if (invoke_portal(next, window) != 0)
        return 1;
    sem_post(given);
    sem_wait(tried);
    return result;
}
int main(void)
{
    int ready = sem_create(0), status;
    int c = domain_fork(0);
    if (c == 0) {
        portal_register("app.touch", "nmw", touch, 0, 2);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    int b = domain_fork(0);
    if (b == 0) {
        given = sem_create(0), tried = sem_create(0);
        next = portal_open("app.touch");
        thread_create(other, 0, -1);
        portal_register("app.take", "nmw", take, 0, 2);
        sem_post(ready);
        sem_wait(sem_create(0));
    }
    sem_wait(ready);
    page[0] = 'a';
    printf("its own window is lent on: %ld\n", invoke_portal(portal_open("app.touch"), page));
    printf("another thread's window: %ld\n", invoke_portal(portal_open("app.take"), page));
    domain_kill(b), domain_kill(c);
    domain_wait(b, &status), domain_wait(c, &status);
    return 0;
}
