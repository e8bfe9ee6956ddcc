/* USENIX tables 1 and 2: a short-circuit portal, and calls through chains of domains, without a window, with one that the
   callees leave alone, and with one that each of them writes to. The chains are components of the system (chain.c): those of
   table 1 are untrusted, called on stacks of their own with registers saved; those of table 2 are trusted. */
#include "bench.h"

static int count;
static char page[4096] __attribute__((aligned(4096)));

static word local(word constant, word more, word b, word c)
{
    (void)more, (void)b, (void)c;
    return constant;
}
static word local_window(word constant, volatile char *window, word more, word c)
{
    if (more < 0)
        *window = 1;
    (void)c;
    return constant;
}
/* A call to `name` and back; `more` is how much further it goes. */
static void chain(const char *table, const char *specification, const char *name, const char *window, int domains, word more)
{
    int portal = open_or_exit(name), legs = 2 * (domains > 1 ? domains - 1 : 1);
    word result = window ? invoke_portal(portal, page, more, 3l) : invoke_portal(portal, more, 2l, 3l);
    if (result != 1) {
        printf("bench: %s returned %ld\n", name, result);
        exit(1);
    }
    unsigned long round_trip = window ? MEASURE(count, invoke_portal(portal, page, more, 3l))
                                      : MEASURE(count, invoke_portal(portal, more, 2l, 3l));
    struct row r = {.table = table,
                    .operation = "ipc",
                    .specification = specification,
                    .domains = domains,
                    .window = window ? window : "none"};
    r.measure = "round-trip";
    print_row(r, round_trip);
    r.measure = "leg";
    print_row(r, (round_trip + legs / 2) / legs);
    portal_close(portal);
}
/* One table: `stack` and `state` are the first letters of its specifications. */
static void table(const char *name, char stack, char state)
{
    char plain[8], window[8], local_plain[NAMELEN], local_windowed[NAMELEN], chain_plain[NAMELEN], chain_windowed[NAMELEN];
    word constant = 1;
    snprintf(plain, sizeof plain, "%c%cciii", stack, state);
    snprintf(window, sizeof window, "%c%ccwii", stack, state);
    snprintf(local_plain, NAMELEN, "app.%s", plain);
    snprintf(local_windowed, NAMELEN, "app.%s", window);
    snprintf(chain_plain, NAMELEN, "chain.%c-1", stack);
    snprintf(chain_windowed, NAMELEN, "chain.%c-window-1", stack);
    portal_register(local_plain, plain, local, &constant, 2);
    portal_register(local_windowed, window, local_window, &constant, 0);
    for (int domains = 1; domains <= 8; domains *= 2) {
        int more = domains > 2 ? domains - 2 : 0;
        const char *windowed = domains == 1 ? local_windowed : chain_windowed;
        chain(name, plain, domains == 1 ? local_plain : chain_plain, NULL, domains, more);
        chain(name, window, windowed, "unused", domains, more);
        chain(name, window, windowed, "touched", domains, -1 - more);
    }
}
int main(int argc, char **argv)
{
    count = repetitions(argc, argv);
    ROW(MEASURE(count, get_asid()), .table = "usenix-1", .operation = "short-circuit", .measure = "round-trip");
    table("usenix-1", 'n', 'p');
    table("usenix-2", 's', 'm');
    return 0;
}
