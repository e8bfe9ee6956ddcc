// system supervised
// timeout 120
// ways plain touch slices strict strict-touch
/* Domains of protection lend pages that they were shown to a component in supervisor mode, which lends them on; these pages are hidden, unmapped and shown again
   meanwhile, and the domains are destroyed in their calls. What the windows show stays what it was until the calls are over. Not in a sandbox:
   no domain of protection is made there. */
#include "include/hostile.h"
#include "include/inside.h"

enum { PAGES = 4, THREADS = 2 };
static _Alignas(4096) volatile word pages[PAGES][512];
static int parts[THREADS], lends, broken, done, seen;

/* In a server: what the window shows is the same word, but for the first. */
static word shown(volatile word *window, word way)
{
    for (int round = 0; round < 4; round++) {
        for (int at = 1; at < 512; at++)
            if (window[at] != 0x77)
                sem_post(broken);
        yield();
    }
    sem_post(seen);
    return way;
}
static _Alignas(64) const char name[NAMELEN] = "app.shown";
/* In a domain of protection: its arguments, and the program's constants. */
static word passes(volatile word *page, word portal)
{
    return invoke_portal(portal, page, name, -1l);
}
DP_MODULE(module, passes)

static void works(void *number)
{
    word n = (word)number;
    for (word round = 0; round < 12; round++) {
        int dp = dp_create("part");
        if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, 1, 2) || dp_pass_port_right(dp, lends) ||
            dp_make_visible(dp, (void *)pages, sizeof pages, PAGE_READ | PAGE_WRITE))
            /* Who hides has destroyed it, by the number of one before. */
            continue;
        parts[n] = dp;
        for (int page = 0; page < PAGES; page++) {
            word result = dp_call(dp, module, 0, 0, (word)pages[page], (word)lends);
            /* Or an error: what is there of its number by then. */
            if (result >= 0) {
                printf("%ld\n", result);
                sem_post(broken);
            }
        }
        parts[n] = 0;
        dp_destroy(dp);
    }
    sem_post(done);
}
static void hides(void *unused)
{
    (void)unused;
    for (unsigned n = 0;; n++) {
        int dp = parts[n % THREADS];
        if (dp > 0 && n % 17 == 16)
            dp_destroy(dp);
        else if (dp > 0 && dp_make_invisible(dp, (void *)pages[n % PAGES], 4096) == 0)
            dp_make_visible(dp, (void *)pages[n % PAGES], 4096, PAGE_READ | PAGE_WRITE);
        yield();
    }
}
static int attack(void)
{
    int status, ready = sem_create(0), never = sem_create(0);
    broken = sem_create(0), done = sem_create(0), seen = sem_create(0);
    for (int page = 0; page < PAGES; page++)
        for (int at = 0; at < 512; at++)
            pages[page][at] = 0x77;
    int server = domain_fork(0);
    if (server == 0) {
        portal_register("app.shown", "npwi", shown, NULL, 4);
        sem_post(ready);
        sem_wait(never);
    }
    sem_wait(ready);
    lends = inside("inside.lends");
    wall(1, lends > 0);
    thread_create(hides, NULL, -1);
    for (word n = 0; n < THREADS; n++)
        thread_create(works, (void *)n, -1);
    for (int n = 0; n < THREADS; n++)
        sem_wait(done);
    wall(2, sem_trywait(seen) == 0);
    wall(3, sem_trywait(broken) == -EAGAIN);
    domain_kill(server);
    wall(4, domain_wait(server, &status) == 0);
    return 0;
}
