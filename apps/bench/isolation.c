/* Round trips from C to the same component in an address space of its own, trusted in one, as a domain of protection, in supervisor mode, and as a
   software fault domain (apps/bench/systems/bench-isolation.toml); what its own work costs it there, its memory, and its end by a fault. Beside them: the
   same functions in the program itself. `./pebble bench isolation` makes a table of it. */
#include "bench.h"
#include "work.h"

enum { PAGE = 4096, SEED = 7, SETTLED = 2000000 /* ticks after which nobody is busy with the one before */ };
static word window[PAGE / sizeof(word)] __attribute__((aligned(PAGE)));

static void row(const char *isolation, const char *specification, const char *measure, unsigned long value)
{
    ROW(value, .table = "isolation", .operation = isolation, .specification = specification, .measure = measure);
}
static void check(const char *isolation, word got, word wanted)
{
    if (got != wanted)
        exit(printf("%s: it answers %ld, not %ld\n", isolation, got, wanted) > 0);
}
static int opened(const char *isolation, const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "answers.%s.%s", isolation, what);
    return open_or_exit(name);
}
/* Starts it, and waits until it may be called: its first answer. */
static void started(const char *isolation)
{
    static char command[NAMELEN] __attribute__((aligned(NAMELEN)));
    char name[NAMELEN];
    snprintf(command, sizeof command, "answers-%s %s", isolation, isolation);
    snprintf(name, sizeof name, "answers.%s.npiii", isolation);
    int spawned = invoke_portal(open_or_exit("init.spawn"), command, (word)strlen(command)), own;
    if (spawned < 0)
        exit(printf("%s: %s\n", command, pebble_strerror(spawned)) > 0);
    while ((own = portal_open(name)) == -ENOENT)
        yield();
    check(isolation, invoke_portal(own, 1l, 2l, 3l), 6);
    portal_close(own);
}
static __attribute__((noipa)) word three(word a, word b, word c)
{
    return a + b + c;
}
static unsigned long once(word (*body)(word), word argument)
{
    unsigned long start = cycles();
    body(argument);
    return cycles() - start;
}
static int portal;
static word call(word argument) { return invoke_portal(portal, argument); }

static void measure(const char *isolation, int count)
{
    int dp = !strcmp(isolation, "dp"), sfi = !strcmp(isolation, "sfi"), pages = open_or_exit("memory.info");
    /* The first of its kind has more to make, which is kept. */
    started(isolation);
    portal = opened(isolation, "fails");
    check(isolation, invoke_portal(portal), -EDEAD);
    portal_close(portal);
    hrsleep(SETTLED);
    word free = invoke_portal(pages, 1l, 0l);
    unsigned long start = cycles();
    started(isolation);
    row(isolation, NULL, "start", cycles() - start);
    int own = opened(isolation, "npiii");
    row(isolation, NULL, "pages", free - invoke_portal(pages, 1l, 0l));
    if (!sfi) {
        int shared = opened(isolation, "smciii"), lends = opened(isolation, "nmri");
        check(isolation, invoke_portal(shared, 1l, 2l, 3l), 6), check(isolation, invoke_portal(lends, window, 64l), 64 + *(char *)window);
        row(isolation, "smciii", "round-trip", MEASURE(count, invoke_portal(shared, 1l, 2l, 3l)));
        row(isolation, "nmri", "round-trip", MEASURE(count, invoke_portal(lends, window, 64l)));
    }
    row(isolation, "npiii", "round-trip", MEASURE(count, invoke_portal(own, 1l, 2l, 3l)));
    int small = opened(isolation, "64"), large = opened(isolation, "4096");
    check(isolation, invoke_portal(small, window), sum(window, 64)), check(isolation, invoke_portal(large, window, (word)PAGE), sum(window, PAGE));
    row(isolation, "npr", "64-bytes", MEASURE(count, invoke_portal(small, window)));
    row(isolation, "npRi", "4096-bytes", MEASURE(count, invoke_portal(large, window, (word)PAGE)));
    if (dp) {
        int handle = dp_open("answers-dp"), pointer = opened(isolation, "pointer");
        if (handle < 0 || dp_make_visible(handle, window, sizeof window, PAGE_READ))
            exit(printf("dp: its page: %s\n", pebble_strerror(handle)) > 0);
        check(isolation, invoke_portal(pointer, window, (word)PAGE), sum(window, PAGE));
        row(isolation, "npii", "64-bytes", MEASURE(count, invoke_portal(pointer, window, 64l)));
        row(isolation, "npii", "4096-bytes", MEASURE(count, invoke_portal(pointer, window, (word)PAGE)));
    }
    portal = opened(isolation, "run");
    check(isolation, call(SEED), work(SEED));
    row(isolation, NULL, "run", once(call, SEED));
    portal = opened(isolation, "fails");
    start = cycles();
    check(isolation, invoke_portal(portal), -EDEAD);
    row(isolation, NULL, "fault", cycles() - start);
    check(isolation, invoke_portal(own, 1l, 2l, 3l), -EDEAD);
}
int main(int argc, char **argv)
{
    static const char *const isolations[] = {"domain", "trusted", "dp", "supervisor", "sfi"};
    int count = repetitions(argc, argv);
    for (size_t n = 0; n < sizeof window / sizeof *window; n++)
        window[n] = n;
    row("none", "npiii", "round-trip", MEASURE(count, three(1, 2, 3)));
    row("none", "npr", "64-bytes", MEASURE(count, sum(window, 64)));
    row("none", "npRi", "4096-bytes", MEASURE(count, sum(window, PAGE)));
    work(SEED);
    row("none", NULL, "run", once(work, SEED));
    for (size_t n = 0; n < sizeof isolations / sizeof *isolations; n++)
        measure(isolations[n], count);
    return 0;
}
