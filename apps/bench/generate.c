/* USENIX table 6: how long the portal manager takes to open a portal, seen by the program that asks for it, and how long the
   portal is. "smcii" leads to a trusted server, "npcwi" to an untrusted one. */
#include "bench.h"

static unsigned long opened, closed;

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
    ROW(median(close, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "close");
}
int main(int argc, char **argv)
{
    int count = repetitions(argc, argv);
    generate("smcii", "chain.s-two", count);
    generate("npcwi", "chain.n-window-two", count);
    return 0;
}
