// expect stdout through three domains: abc
// expect stdout 4000 concurrent calls with one page: right
// expect stdout after the return the page is closed: 1
/* A window is lent on, A to B to C, with no more rights; many threads lend the same page at once; after the return nothing of it
   is left, not even in the translation buffer. */
#include <pebble.h>
static char page[4096] __attribute__((aligned(4096)));
static char *seen;
static int next;
static word pass(char *window)
{
    seen = window;
    if (next == 0)
        next = portal_open("app.third");
    word result = invoke_portal(next, window);
    window[1] = 'b';
    return result;
}
static word third(char *window)
{
    window[2] = 'c';
    return window[0];
}
static word look(void) { return *seen; }
static word count(volatile char *window, word at) { return window[at]; }
static void call_often(void *portal)
{
    for (int i = 0; i < 1000; i++)
        if (invoke_portal((int)(long)portal, page, (word)(i % 4)) != "abcd"[i % 4])
            exit(1);
}
static int server(int ready, const char *name, const char *spec, word (*entry)(), int more)
{
    int child = domain_fork(0);
    if (child)
        return child;
    int end = sem_create(0);
    if (portal_register(name, spec, entry, 0, 4))
        exit(1);
    if (more && (portal_register("app.look", "nm", look, 0, 0) || portal_register("app.count", "npri", count, 0, 0)))
        exit(1);
    sem_post(ready);
    sem_wait(end);
    exit(0);
}
int main(void)
{
    int ready = sem_create(0), status;
    int c = server(ready, "app.third", "nmw", third, 0);
    sem_wait(ready);
    int b = server(ready, "app.second", "nmw", pass, 1);
    sem_wait(ready);
    page[0] = 'a';
    word result = invoke_portal(portal_open("app.second"), page);
    printf("through three domains: %.3s\n", result == 'a' ? page : "???");
    page[3] = 'd';
    int portal = portal_open("app.count"), threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = thread_create(call_often, (void *)(long)portal, -1);
    for (int i = 0; i < 4; i++)
        thread_join(threads[i]);
    printf("4000 concurrent calls with one page: right\n");
    /* The server dies of the access, with this call inside. */
    word late = invoke_portal(portal_open("app.look"));
    domain_wait(b, &status);
    printf("after the return the page is closed: %d\n", late == -EDEAD && status == -13);
    domain_kill(c);
    domain_wait(c, &status);
    return 0;
}
