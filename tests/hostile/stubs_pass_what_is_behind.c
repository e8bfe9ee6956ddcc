// timeout 90
/* One in a sandbox opens, in turns, a portal of words and one with a window, which get the same number, while another of its threads calls that number with an
   address of its controlling domain's. What that passes on, as it came, never has it lend its own memory. */
#include "include/hostile.h"

static _Alignas(4096) char page[4096];
static volatile int own_child, number, seen;

static word passes_on(word portal, word p1, word p2, word p3, word p4, word p5) { return invoke_portal(portal, p1, p2, p3, p4, p5); }
static int opened(int asid, int portal, char *spec)
{
    (void)asid;
    while (!own_child)
        yield();
    return portal_create_stub(own_child, portal, spec, passes_on);
}
static word words(word word_) { return word_ ? 1 : 0; }
static word sees(const char *window) { return window[0]; }
static void calls(void *unused)
{
    (void)unused;
    for (;;) {
        if (number > 0 && invoke_portal(number, (word)page) == 'S')
            seen++;
        if (hostile_fewer > 1)
            yield();
    }
}
static int attack(void)
{
    int status, ready = sem_create(0), never = sem_create(0), server = domain_fork(0);
    if (server == 0) {
        portal_register("app.words", "npi", words, NULL, 4);
        portal_register("app.sees", "npr", sees, NULL, 4);
        sem_post(ready);
        sem_wait(never);
    }
    sem_wait(ready);
    portal_notify(opened);
    own_child = 0;
    int child = domain_fork(passes_on);
    if (child == 0) {
        page[0] = 'c';
        number = portal_open("app.words");
        thread_create(calls, NULL, -1);
        for (int n = 0; n < hostile_rounds(400) && !seen; n++) {
            portal_close(number);
            int window = portal_open("app.sees");
            if (invoke_portal(window, page) != 'c')
                _Exit(2);
            portal_close(window);
            int again = portal_open("app.words");
            if (invoke_portal(again, 5l) != 1)
                _Exit(3);
            number = again;
        }
        _Exit(seen ? 1 : 0);
    }
    page[0] = 'S';
    own_child = child;
    wall(1, child > 0 && domain_wait(child, &status) == 0);
    if (status)
        printf("status %d\n", status);
    wall(2, status == 0);
    portal_notify(0);
    domain_kill(server);
    wall(3, domain_wait(server, &status) == 0);
    return 0;
}
