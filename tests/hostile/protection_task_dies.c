// timeout 60
// ways plain touch slices strict strict-touch
/* A task dies, and with it its domains of protection, at any moment of what its threads do in these: call each other, lend pages on to a
   server, take memory, end themselves. Every page that the server still reads stays what it was until the call is over; then all is
   freed. Not in a sandbox: no domain of protection is made there. */
#include "include/hostile.h"

enum { PARTS = 3, THREADS = 3, PAGES = 4, SYS_GROW_ = 21, ROUNDS = 24 };
static _Alignas(4096) word pages[PAGES][512];
static int parts[PARTS], server, broken;

/* In the server: what a window shows does not change while it is open. */
static word same(const volatile word *window)
{
    word first = window[0];
    for (int n = 0; n < 6; n++) {
        for (int at = 0; at < 512; at++)
            if (window[at] != first) {
                sem_post(broken);
                return -1;
            }
        yield();
    }
    return first;
}
/* In a domain of protection: only its arguments. */
static word lends(const word *page, word portal, word next, word depth)
{
    word own = invoke_portal(SYS_GROW_, 1l);
    if (own > 0)
        for (int at = 0; at < 512; at++)
            ((word *)own)[at] = 0x77;
    word result = invoke_portal(portal, own > 0 && depth % 2 ? (const word *)own : page);
    if (depth % 7 == 6)
        return *(volatile word *)8;
    return depth > 0 ? invoke_portal(next, 0l, 0l, page, portal, next, depth - 3) : result;
}
DP_MODULE(module, lends)

static void works(void *number)
{
    for (word n = (word)number;; n++) {
        int dp = parts[n % PARTS], next = dp_connect(parts[(n + 1) % PARTS], module);
        dp_call(dp, module, 0, 0, pages[n % PAGES], server, next, n % 9);
        if (n % 5 == 0) {
            dp_make_invisible(dp, pages[n % PAGES], 4096);
            dp_make_visible(dp, pages[n % PAGES], 4096, PAGE_READ);
        }
        if (n % 11 == 0) {
            dp_destroy(dp);
            parts[n % PARTS] = 0;
        }
    }
}
static int makes_parts(void)
{
    for (int n = 0; n < PAGES; n++)
        for (int at = 0; at < 512; at++)
            pages[n][at] = 0x77;
    for (int n = 0; n < PARTS; n++) {
        int dp = parts[n] = dp_create("part");
        if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, 1, 2) || dp_pass_port_right(dp, server) ||
            dp_make_visible(dp, pages, sizeof pages, PAGE_READ))
            return dp < 0 ? dp : -1;
    }
    for (int n = 0; n < PARTS; n++)
        for (int other = 0; other < PARTS; other++)
            if (n != other)
                dp_pass_port_right(parts[n], dp_connect(parts[other], module));
    return 0;
}
static int attack(void)
{
    int ready = sem_create(0), stop = sem_create(0), status;
    broken = sem_create(0);
    int looks = domain_fork(0);
    if (looks == 0) {
        portal_register("app.same", "npr", same, NULL, 4);
        sem_post(ready);
        sem_wait(stop);
        _Exit(0);
    }
    sem_wait(ready);
    server = portal_open("app.same");
    wall(1, looks > 0 && server > 0);
    for (int round = 0; round < hostile_rounds(ROUNDS); round++) {
        int task = domain_fork(0);
        if (task == 0) {
            if (makes_parts()) {
                sem_post(ready);
                _Exit(50);
            }
            for (word n = 0; n < THREADS; n++)
                thread_create(works, (void *)(n + round), -1);
            sem_post(ready);
            hrsleep(1000000000);
        }
        wall(2, task > 0);
        sem_wait(ready);
        hrsleep(2000 + 311 * (unsigned)(round * 37 % 97));
        domain_kill(task);
        wall(3, domain_wait(task, &status) == 0);
        if (status != -EDEAD)
            printf("the task ended with %d\n", status);
        wall(4, status == -EDEAD);
        wall(5, sem_trywait(broken) == -EAGAIN);
    }
    sem_post(stop);
    wall(6, domain_wait(looks, &status) == 0 && status == 0);
    return 0;
}
