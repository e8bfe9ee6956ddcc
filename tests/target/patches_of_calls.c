// system patched
// timeout 60
// expect stdout by-patch: 4950, 5050, 7
// expect stdout by-asid: 4950, 5050, 7
// expect stdout by-auto: 4950, 5050, 7
// expect stdout more pages than a patch has: 5050, and again: 5050
// expect stdout what a call has seen of the task, its caller does not see: -202
// expect stdout nor does another thread meanwhile: -202
/* Calls from domains of protection to their task, by patches of the caller's tables and by address space: what is visible in the call, and not after it. */
#include "include/once_there.h"

static _Alignas(4096) volatile word pages[40][512];
static int inward;

static int opened(const char *part, const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "app.%s.%s", part, what);
    return once_there(name);
}
static word max(word a, word b)
{
    return a > b ? a : b;
}
/* Writes a word of the task's: at an address, or on one of so many pages. */
static word touches(word n, word at)
{
    volatile word *word_ = at > 40 ? (volatile word *)at : &pages[n % at][n];
    *word_ = n + 1;
    return *word_;
}
/* Calls its caller back, which calls it, as often as `depth` says. */
static word calls_inward(word n, word depth)
{
    return depth == 0 ? 7 : invoke_portal(inward, 2l, 1l, depth - 1) + n;
}
static word waits(word here, word address)
{
    word seen = *(volatile word *)address;
    if (here > 12)
        *(volatile word *)here = 1;
    /* Its end, if another of its threads looks, ends this. */
    hrsleep(here > 12 ? 100000000 : 0);
    return seen;
}
static void works(const char *part)
{
    int calls = opened(part, "calls");
    inward = calls;
    word maxima = invoke_portal(calls, 0l, 100l, 0l);
    word sums = invoke_portal(calls, 1l, 100l, 10l);
    word depth = invoke_portal(calls, 2l, 1l, 3l);
    for (int n = 0; n < 100; n++)
        if (pages[n % 10][n] != n + 1)
            printf("FAILED: page %d\n", n);
    printf("by-%s: %ld, %ld, %ld\n", part, maxima, sums, depth);
}
int main(void)
{
    const struct { const char *name, *spec; word (*entry)(); } all[] = {
        {"app.max", "npii", max}, {"app.touches", "npii", touches}, {"app.inward", "npii", calls_inward}, {"app.waits", "npii", waits},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        if (portal_register(all[n].name, all[n].spec, all[n].entry, NULL, n == 0 ? 8 : 0) < 0)
            return 1;
    works("patch");
    works("asid");
    works("auto");
    int calls = opened("patch", "calls");
    word sum = invoke_portal(calls, 1l, 100l, 40l);
    printf("more pages than a patch has: %ld, and again: %ld\n", sum, invoke_portal(calls, 1l, 100l, 40l));
    printf("what a call has seen of the task, its caller does not see: %ld\n", invoke_portal(opened("patch", "peeks"), (word)&pages[7][0]));
    printf("nor does another thread meanwhile: %ld\n", invoke_portal(opened("patch", "meanwhile"), (word)&pages[8][0]));
    return 0;
}
