// timeout 60
// ways plain touch slices strict strict-touch
/* A loader does all that a delegation lets it and all that it does not, without an end, while its client calls what it has loaded, withdraws the
   delegation, ends, or ends it, at any moment. What the client delegates in the name of a part that sees one page is never more than that page; and what
   begins when the delegation is withdrawn does nothing. Not in a sandbox, where there is nothing to delegate. */
#include "include/hostile.h"

enum { PAGE = 4096, ROUNDS = 24, TRIES = 3 };
static _Alignas(PAGE) word shown[512], secret[512];

extern const char code_start[], code_end[];
__asm__(".balign 4096\n"
        "code_start:\n"
        "    ld    a0, 0(a2)\n"
        "    ret\n"
        "code_end:\n"
        ".balign 4096\n");

/* The loader. */
static int delegation, handles[TRIES], broken;
static volatile int over;
static void breaks(int condition)
{
    if (condition)
        sem_post(broken);
}
/* All that it may, and what it may not. */
static void tries(void *seed)
{
    for (word n = (word)seed;; n = n * 1103515245 + 12345) {
        int withdrawn = over, which = (n >> 16) % TRIES, dp = handles[which], done = -1;
        switch ((unsigned)(n >> 20) % 9) {
        case 0: done = dp_make_visible(dp, shown, PAGE, PAGE_READ); break;
        case 1: breaks(dp_make_visible(dp, secret, PAGE, PAGE_READ) == 0); break;
        case 2: breaks(dp_make_visible(dp, shown, PAGE, PAGE_READ | PAGE_WRITE) == 0); break;
        case 3: breaks(dp_place(dp, shown, code_start, 8, PAGE_READ) == 0 || dp_place(dp, secret, code_start, 8, PAGE_READ) == 0); break;
        case 4: done = dp_make(delegation, "more"); break;
        case 5: done = dp_take(dp, PAGE) ? 0 : -1; break;
        case 6: breaks(dp_connect(dp, (dp_entry *)code_start) > 0 || dp_delegate(dp, 40, 1, PAGE) > 0); break;
        case 7: done = dp_give(dp); break;
        case 8: done = dp_register(dp, (dp_entry *)(code_start + 16 * (n >> 24 & 7)), 1, 1); break;
        }
        breaks(withdrawn && done >= 0);
        if (done > 0 && !withdrawn && (unsigned)(n >> 20) % 9 == 4)
            dp_destroy(done);
    }
}
static word loads(word given, word seed)
{
    over = 0;
    if ((delegation = dp_accept(given)) < 0)
        return delegation;
    word entry = 0;
    for (int n = 0; n < TRIES; n++) {
        char *place;
        if ((handles[n] = dp_make(delegation, "loaded")) < 0)
            return handles[n];
        if (!(place = dp_take(handles[n], 2 * PAGE)) || dp_place(handles[n], place, code_start, code_end - code_start, PAGE_READ | PAGE_EXECUTE))
            return -ENOMEM;
        int done = dp_register(handles[n], (dp_entry *)place, 1, 2);
        if (done < 0)
            return done;
        entry = (word)place;
    }
    dp_make_visible(handles[TRIES - 1], shown, PAGE, PAGE_READ);
    thread_create(tries, (void *)seed, 5);
    return entry;
}
static word gives(void) { return dp_give(handles[TRIES - 1]); }
static word is_over(void)
{
    over = 1;
    return 0;
}
static int loader(int ready)
{
    int child = domain_fork(0);
    if (child == 0) {
        portal_register("app.load", "npii", loads, NULL, 2);
        portal_register("app.gives", "np", gives, NULL, 0);
        portal_register("app.over", "np", is_over, NULL, 0);
        sem_post(ready);
        thread_exit();
    }
    sem_wait(ready);
    return child;
}
/* The client: its status. */
static int client(int round)
{
    int blind = dp_create("blind"), load = portal_open("app.load"), loaded;
    shown[0] = 7, secret[0] = 8;
    if (blind < 0 || dp_make_visible(blind, shown, PAGE, PAGE_READ))
        return 50;
    int given = dp_delegate(blind, load, 20, 4000 * PAGE);
    if (given < 0)
        return 51;
    word entry = invoke_portal(load, (word)given, (word)(round * 7919 + 1));
    if (entry <= 0)
        return 52;
    /* It is the blind one's; this domain opens it by what that one passes. */
    loaded = invoke_portal(portal_open("app.gives"));
    if (loaded < 0)
        return 53;
    hrsleep(2000 + 311 * (unsigned)(round * 37 % 97));
    if (dp_destroy(given))
        return 54;
    if (invoke_portal(portal_open("app.over")))
        return 55;
    hrsleep(20000);
    if (dp_number(blind) < 0)
        return 56;
    dp_destroy(blind);
    return shown[0] == 7 && secret[0] == 8 ? 41 : 57;
}
static int attack(void)
{
    int ready = sem_create(0), status;
    broken = sem_create(0);
    for (int round = 0; round < hostile_rounds(ROUNDS); round++) {
        int made = loader(ready), task = domain_fork(0);
        if (task == 0)
            _Exit(client(round));
        wall(1, made > 0 && task > 0);
        if (round % 3) {
            hrsleep(3000 + 411 * (unsigned)(round * 53 % 89));
            domain_kill(round % 3 == 1 ? task : made);
        }
        wall(2, domain_wait(task, &status) == 0);
        if (status != 41)
            printf("round %d: the client ended with %d\n", round, status);
        /* Who is ended, or whose loader is, sees that in whatever it does. */
        wall(3, status == 41 || round % 3);
        domain_kill(made);
        wall(4, domain_wait(made, &status) == 0);
        wall(5, sem_trywait(broken) == -EAGAIN);
    }
    return 0;
}
