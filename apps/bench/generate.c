/* USENIX table 6: how long the portal manager takes to open a portal, seen by the program that asks for it, and how long the
   portal is. "smcii" leads to a trusted server, "npcwi" to an untrusted one. */
#include "bench.h"

static unsigned long opened, closed;

/* The answer of inspect.portal (lib/abi/src/inspect.rs). */
struct portal {
    char name[48], specification[16];
    uint64_t server, code, words, entry;
} __attribute__((aligned(128)));

/* Instructions of the portal, of its way back and of the ways out of it. */
static unsigned long length(const char *name)
{
    struct portal portal = {0};
    int number = open_or_exit(name), inspect = open_or_exit("inspect.portal");
    if (invoke_portal(inspect, (word)get_asid(), (word)number, &portal) < 0)
        exit(1);
    portal_close(inspect);
    portal_close(number);
    return portal.words;
}
/* One portal opened and closed; the cycles of each. */
static void once(const char *name)
{
    unsigned long start = cycles();
    int portal = open_or_exit(name);
    unsigned long between = cycles();
    portal_close(portal);
    closed = cycles() - between;
    opened = between - start;
}
static void generate(const char *specification, const char *name, int count)
{
    unsigned long open[count], close[count];
    for (int i = 0; i < count; i++) {
        once(name);
        open[i] = opened;
        close[i] = closed;
    }
    ROW(median(open, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "open");
    ROW(length(name), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "length");
    ROW(median(close, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "close");
}
int main(int argc, char **argv)
{
    int count = repetitions(argc, argv);
    generate("smcii", "chain.s-two", count);
    generate("npcwi", "chain.n-window-two", count);
    return 0;
}
