/* USENIX table 6: how long the portal manager takes to open a portal, seen by the program that asks for it, and how long the
   portal is. "smcii" leads to a trusted server, "npcwi" to an untrusted one. */
#include "bench.h"

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
/* What one portal took to open, and to close. */
struct times {
    unsigned long open, close;
};
/* Opens and closes a portal. With one like it open already, its code is generated; the code of one that was closed is taken back. */
static struct times once(const char *name, int generated)
{
    int other = generated ? open_or_exit(name) : 0;
    unsigned long start = cycles();
    int portal = open_or_exit(name);
    unsigned long opened = cycles();
    if (generated)
        portal_close(other);
    unsigned long closing = cycles();
    portal_close(portal);
    return (struct times){opened - start, cycles() - closing};
}
static void generate(const char *specification, const char *name, int count)
{
    unsigned long open[count], reopen[count], close[count];
    for (int i = 0; i < count; i++) {
        struct times first = once(name, 1);
        open[i] = first.open;
        close[i] = first.close;
    }
    for (int i = 0; i < count; i++)
        reopen[i] = once(name, 0).open;
    ROW(median(open, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "open");
    ROW(median(reopen, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "reopen");
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
