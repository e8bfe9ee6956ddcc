/* USENIX table 6: how long the portal manager takes to open a portal, seen by the program that asks for it, and how long the
   portal is. "smcii" leads to a trusted server, "npcwi" to an untrusted one. */
#include "bench.h"

/* The answer of inspect.portal (lib/abi/src/inspect.rs). */
struct portal {
    char name[48], specification[16];
    uint64_t server, code, words, entry;
} __attribute__((aligned(128)));

/* What is known of `number`, an open portal. */
static struct portal look(int number)
{
    struct portal portal = {0};
    int inspect = open_or_exit("inspect.portal");
    if (invoke_portal(inspect, (word)get_asid(), (word)number, &portal) < 0)
        exit(1);
    portal_close(inspect);
    return portal;
}
/* Instructions of the portal, of its way back and of the ways out of it. */
static unsigned long length(const char *name)
{
    int number = open_or_exit(name);
    unsigned long words = look(number).words;
    portal_close(number);
    return words;
}
/* Most portals that are open to one name. */
#define MOST 64
/* How many portals to `name` have to be open for the code of one more to be generated: as many share the code of the first. */
static int sharing(const char *name)
{
    int open[MOST], count = 0;
    uint64_t first = 0, code;
    do {
        if (count == MOST)
            exit(1);
        open[count] = open_or_exit(name);
        code = look(open[count++]).code;
        first = first ? first : code;
    } while (code == first);
    for (int i = count; i-- > 0;)
        portal_close(open[i]);
    return count - 1;
}
/* What one portal took to open, and to close. */
struct times {
    unsigned long open, close;
};
/* Opens and closes a portal where `others` like it are open. */
static struct times once(const char *name, int others)
{
    int open[MOST];
    for (int i = 0; i < others; i++)
        open[i] = open_or_exit(name);
    unsigned long start = cycles();
    int portal = open_or_exit(name);
    unsigned long opened = cycles();
    for (int i = 0; i < others; i++)
        portal_close(open[i]);
    unsigned long closing = cycles();
    portal_close(portal);
    return (struct times){opened - start, cycles() - closing};
}
static void generate(const char *specification, const char *name, int count)
{
    unsigned long open[count], share[count], reopen[count], close[count];
    int others = sharing(name);
    for (int i = 0; i < count; i++) {
        struct times first = once(name, others);
        open[i] = first.open;
        close[i] = first.close;
    }
    for (int i = 0; i < count; i++)
        share[i] = once(name, 1).open;
    for (int i = 0; i < count; i++)
        reopen[i] = once(name, 0).open;
    ROW(median(open, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "open");
    ROW(median(share, count), .table = "usenix-6", .operation = "portal-generation", .specification = specification, .measure = "share");
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
