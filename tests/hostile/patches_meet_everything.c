// system patched
// timeout 120
// ways plain touch slices strict strict-touch
/* A domain of protection calls its task by a patch of its tables, in more threads than the task has stacks, while in these calls the task takes the pages of the patch
   away, gives them others, lets them be read only, copies itself, calls the domain back, and while the domain is shown and denied other pages, and dies in its
   calls and is started again. Each call finds what the one before it in its thread has left. Not in a sandbox: the domain of protection is a component of the
   system's, in the task that its file names. */
#define HOSTILE_IN_PLACE
#include "../target/include/all_holds.h"
#include "../target/include/once_there.h"
#include "include/hostile.h"

enum { CALLERS = 7, ROUNDS = 40, PAGES = 3, DEATHS = 2, PAGE = 4096 };
static _Alignas(4096) volatile word pages[CALLERS][PAGES][512], copies[CALLERS][512], shown[4][512];
static word left[CALLERS][PAGES];
static volatile int running = CALLERS, wrong;
static int ended, inward, rounds;

static int opened(const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "app.patch.%s", what);
    return once_there(name);
}
static void is(int right, const char *what)
{
    if (!right)
        printf("FAILED: %s\n", what), wrong++;
}
static unsigned drawn(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}
/* The page of caller `who`, drawn by `how`, has what was left there, and something else from now on. */
static volatile word *visit(word who, unsigned how)
{
    volatile word *page = pages[who][how % PAGES];
    word *was = &left[who][how % PAGES];
    is(*page == *was, "what the last call left");
    *page = *was = how + 1;
    return page;
}
/* One call: `which` counts calls in a loop of the part's; `seed` says who calls, and what is done. */
static word works(word which, word seed)
{
    if (seed > 1 << 17)
        return 0; /* An address, at which the part is about to look. */
    word who = seed % CALLERS;
    unsigned state = (unsigned)(seed / CALLERS + which), how = drawn(&state);
    volatile word *page = visit(who, how);
    word *was = &left[who][how % PAGES];
    int child, status = -1;
    switch (drawn(&state) % 6) {
    case 0:
        is(page_unmap(get_asid(), (void *)page) == 0, "unmapped");
        is(page_map(get_asid(), (void *)page, NULL, PAGE_READ | PAGE_WRITE) == 0 && *page == 0, "another page");
        *page = *was;
        break;
    case 1:
        copies[who][0] = *was;
        is(page_map(get_asid(), (void *)page, (void *)copies[who], PAGE_READ) == 0 && *page == *was, "a copy to be read");
        is(page_map(get_asid(), (void *)page, (void *)copies[who], PAGE_READ | PAGE_WRITE) == 0 && *page == *was, "one to be written");
        break;
    case 2:
        child = domain_fork(0);
        if (child == 0)
            _Exit(*page == *was ? 0 : 9);
        *page = *was = *was + 1;
        if (child > 0) {
            /* Where the part has died meanwhile, the wait that it has asked for ends. */
            int waited = domain_wait(child, &status);
            is(waited == -ECANCELED || (waited == 0 && status == 0), "the copy's page");
        }
        break;
    case 3:
        for (int n = 0; n < 4; n++)
            yield(), visit(who, how);
        break;
    default:
        for (int n = 0; n < PAGES; n++)
            visit(who, n);
    }
    return 0;
}
static word nothing(void)
{
    return 0;
}
/* Calls the part, which calls back. */
static word turns(word which, word seed)
{
    word result = which == 0 ? invoke_portal(inward, 1l, 1l, seed) : 0;
    return result == -EDEAD || result == -EPORTAL ? 0 : result;
}
static void calls(void *number)
{
    word who = (word)number;
    int portal = opened("calls");
    for (word round = 0; round < rounds; round++) {
        word seed = who + CALLERS * (100 * round + 7), result = invoke_portal(portal, who == 0 && round % 4 == 3 ? 2l : 1l, 3l, seed);
        if (result == -EDEAD || result == -EPORTAL) {
            portal_close(portal);
            portal = opened("calls");
        } else
            is(result == 0, "a call");
    }
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
    sem_post(ended);
}
static int attack(void)
{
    const struct { const char *name; word (*entry)(); } all[] = {{"app.max", nothing}, {"app.touches", works}, {"app.inward", turns}, {"app.waits", nothing}};
    int check = portal_open("inspect.check"), broken = 0;
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        is(portal_register(all[n].name, "npii", all[n].entry, NULL, n == 0 ? 3 : 0) == 0, all[n].name);
    rounds = hostile_rounds(ROUNDS), ended = sem_create(0);
    inward = opened("calls");
    for (long n = 0; n < CALLERS; n++)
        thread_create(calls, (void *)n, -1);
    for (int round = 0, deaths = 0; running > 0; round++) {
        int part = dp_open("by-patch"), page = round % 4;
        if (part > 0) {
            dp_make_visible(part, (void *)shown[page], PAGE, round % 2 ? PAGE_READ : PAGE_READ | PAGE_WRITE);
            yield();
            dp_make_invisible(part, (void *)shown[page], PAGE);
            portal_close(part);
        }
        if (round % 16 == 9 && deaths < DEATHS) {
            /* It looks at what it does not see, in a thread of this one's. */
            deaths++;
            is(invoke_portal(opened("peeks"), (word)shown[0]) == -EDEAD, "it does not see the task's page");
        }
        broken += round % 4 == 0 && !all_holds(check, "between calls");
        yield();
    }
    for (int n = 0; n < CALLERS; n++)
        sem_wait(ended);
    wall(1, wrong == 0);
    wall(2, broken == 0);
    return 0;
}
