// system patched
// on strict
// slices 3
// timeout 120
// expect stdout pages came and went: 0
// expect stdout copies kept what they had: 0
// expect stdout shown and hidden: 0
// expect stdout two threads: 0
// expect stdout killed in the call: -202
// expect stdout seen by another thread meanwhile: -202
/* A domain of protection calls its task by a patch of its tables, while the task replaces, copies, shows and hides the pages of the patch, in the call and between
   two, in several threads, which time slices end anywhere; it is killed in the call; and another thread of it looks for what the call sees. The machine keeps
   translations until they are fenced. */
#include <pebble.h>

enum { ROUNDS = 6, PAGE = 4096, SPIN = 1000000, WARM = 12 };
static _Alignas(4096) volatile word pages[8][512], spare[2 * 12 * ROUNDS][512];
static int failed, done, part;

static int opened(const char *what)
{
    char name[NAMELEN];
    int portal;
    snprintf(name, sizeof name, "app.patch.%s", what);
    for (int tries = 0; (portal = portal_open(name)) < 0; tries++) {
        if (tries == 4000)
            exit(printf("FAILED: %s: %s\n", name, pebble_strerror(portal)));
        yield();
    }
    return portal;
}
/* What follows but `main` are procedures that the part calls: the first argument counts its calls. */
static word touches(word n, word at)
{
    *(volatile word *)at = n + 1;
    return *(volatile word *)at == n + 1 ? 0 : -EIO;
}
static word remaps(word n, word argument)
{
    static word written[2], taken;
    word which = n % 2;
    volatile word *page = pages[which];
    if (page[1] != written[which])
        return -EIO;
    *page = n + 1;
    if (page_unmap(get_asid(), (void *)page))
        return -EIO;
    /* Others get its frame. */
    for (word last = taken + 2; taken < last; taken++)
        spare[taken][0] = n;
    if (page_map(get_asid(), (void *)page, NULL, PAGE_READ | PAGE_WRITE) || *page != 0)
        return -EIO;
    page[1] = written[which] = 100 * argument + n;
    return 0;
}
static word forks(word n, word argument)
{
    volatile word *page = pages[argument];
    int status = -1;
    *page = n;
    int child = domain_fork(0);
    if (child == 0) {
        for (int times = 0; times < 3; times++)
            yield();
        _Exit(*page == n ? 0 : 9);
    }
    *page = n + 1000;
    if (child < 0 || domain_wait(child, &status) || status)
        return -EIO;
    return *page == n + 1000 ? 0 : -EIO;
}
/* Ends its caller, or spins for some time slices with what that may not see, whom it tells that it is here. */
static word spins(word here, word argument)
{
    if (argument == 0)
        return dp_destroy(part);
    if (here < WARM)
        return *(volatile word *)argument & 0;
    *(volatile word *)here = 1;
    for (int times = 0; times < SPIN; times++)
        *(volatile word *)argument += 1;
    return 0;
}
static void checks(word result)
{
    if (result)
        failed++;
}
static void calls_in_a_thread(void *page)
{
    checks(invoke_portal(opened("calls"), 1l, 60l, (word)page));
    sem_post(done);
}
static void says(const char *what)
{
    printf("%s: %d\n", what, failed);
    failed = 0;
}
static void shows_and_hides(int calls)
{
    int warms = opened("warms");
    for (word round = 0; round < ROUNDS; round++) {
        checks(invoke_portal(calls, 1l, 2l, (word)pages[5]));
        pages[5][0] = 0;
        checks(dp_make_visible(part, (void *)pages[5], PAGE, PAGE_READ));
        invoke_portal(warms, (word)pages[5], 1l);
        checks(invoke_portal(calls, 1l, 2l, (word)pages[6]));
        invoke_portal(warms, 0l, 0l);
        checks(dp_make_invisible(part, (void *)pages[5], PAGE));
    }
    says("shown and hidden");
}
int main(void)
{
    const struct { const char *name; word (*entry)(); } all[] = {{"app.max", remaps}, {"app.touches", touches}, {"app.inward", forks}, {"app.waits", spins}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        if (portal_register(all[n].name, "npii", all[n].entry, NULL, n == 0 ? 8 : 0) < 0)
            return 1;
    done = sem_create(0);
    int calls = opened("calls");
    part = dp_open("by-patch");
    for (word round = 0; round < ROUNDS; round++)
        checks(invoke_portal(calls, 0l, 12l, round));
    says("pages came and went");
    for (word round = 0; round < ROUNDS; round++)
        checks(invoke_portal(calls, 2l, 1l, round % 8));
    says("copies kept what they had");
    shows_and_hides(calls);
    for (int n = 0; n < 2; n++)
        thread_create(calls_in_a_thread, (void *)pages[n], -1);
    sem_wait(done);
    sem_wait(done);
    says("two threads");
    printf("killed in the call: %ld\n", invoke_portal(calls, 3l, 1l, 0l));
    printf("seen by another thread meanwhile: %ld\n", invoke_portal(opened("meanwhile"), (word)pages[7]));
    return 0;
}
