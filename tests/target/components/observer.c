/*
 * Has faults injected, one after the other, by who runs the machine, and tells what came of each. It stands on the first components alone: what it looks
 * after may be any of the others, which are named by its arguments: first those that faults are injected into, then, behind "--", the clients that are the load.
 */
#include <pebble.h>
#include <stdio.h>
#include <string.h>
#include "../include/all_holds.h"
#include "../include/load.h"
#include "../include/opened.h"

/* What it asks the one who runs the machine (host/src/campaign/faults.rs). */
enum question { NEXT, INJECT, STRUCK, RESULT };
/* What came of a fault. */
enum { ENDED = 1, WRONG = 2, REFUSED = 4, STUCK = 8, RECOVERED = 16, BROKEN = 32 };
/* How often each client must be right, one time after the other, to go on as before: each server of its in turn. */
enum { MOST = 24, TURNS = 6 };
/* How long, in milliseconds: until it has struck, until something of it is seen, until nothing is done any more means that something is, until all
   is as before. */
enum { STRIKES = 300, SHOWS = 150, STANDS = 100, HANGS = 1500, RECOVERS = 4000 };

static word ask(word question, word a, word b, word c, word d)
{
    register word a0 __asm__("a0") = question, a1 __asm__("a1") = a, a2 __asm__("a2") = b, a3 __asm__("a3") = c, a4 __asm__("a4") = d;
    __asm__ volatile("slti x0, x0, 2046" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4) : "memory");
    return a0;
}
static const char *target[MOST], *client[MOST];
static int targets, clients, inspect, destroy, check, portal[MOST];
static struct progress now[MOST], before[MOST];
static long states[2 * MOST];
static word behind; /* clients that do not go on */
/* The longest that one had no right answer since the fault, in ticks. */
static unsigned long long longest;

static unsigned long passed(unsigned long long from) { return (unsigned long)((hrtime() - from) / MILLISECOND); }

/* The number of the domain that is called that, and its identity. */
static int numbered(const char *name, word *identity)
{
    static _Alignas(128) struct {
        char name[48];
        uint64_t asid, flags, parent, threads, portals, stacks, identity, others[3];
    } domain;
    for (int number = 1; number < 100; number++)
        if (invoke_portal(inspect, number, &domain) >= 0 && !strcmp(domain.name, name)) {
            *identity = domain.identity;
            return number;
        }
    return -ESRCH;
}
static void look(int anew)
{
    static _Alignas(128) struct progress one;
    for (int n = 0; n < clients; n++)
        if (invoke_portal(portal[n], &one, (word)anew) == 0) {
            now[n] = one;
            longest = one.longest > longest ? one.longest : longest;
        }
}
/* The state of a component; negative: it is one of the first. */
static long state_of(const char *name)
{
    long state;
    while ((state = component_watch(name, -1, 0)) == -EAGAIN)
        yield();
    return state;
}
/* What is seen of a fault so far. */
static int seen(const char *name, long state)
{
    int all = state_of(name) != state ? ENDED : 0;
    for (int n = 0; n < clients; n++) {
        all |= now[n].wrong ? WRONG : 0;
        all |= now[n].other ? REFUSED : 0;
        all |= now[n].last && passed(now[n].last) > STANDS ? STUCK : 0;
    }
    return all;
}
static int runs(const char *name, long state)
{
    long is = state_of(name);
    return state < 0 || ((is & 3) == COMPONENT_RUNS && is != state);
}
/* What came of the fault in `name`, which has struck. */
static int judged(const char *name, long state, unsigned long long struck)
{
    int what = 0;
    do {
        hrsleep(4 * MILLISECOND);
        look(0);
        what |= seen(name, state);
    } while (!(what & ENDED) && passed(struck) < (what & STUCK ? HANGS : SHOWS));
    return what;
}
/* Those that have not done some things since `before`, or one of them not right: a bit for each. */
static word which_are_behind(void)
{
    word all = 0;
    for (int n = 0; n < clients; n++)
        if (now[n].right < before[n].right + TURNS || now[n].wrong || now[n].dead || now[n].other)
            all |= 1l << n;
    return all;
}
/* Whether all is as before: the component runs anew, and all that its clients do is right. */
static int recovered(const char *name, long state)
{
    unsigned long long from = hrtime();
    while (!runs(name, state) && passed(from) < RECOVERS)
        hrsleep(4 * MILLISECOND);
    do {
        look(1);
        memcpy(before, now, sizeof before);
        hrsleep(24 * MILLISECOND);
        look(0);
        behind = which_are_behind();
    } while (behind && passed(from) < RECOVERS);
    return !behind && runs(name, state);
}
static word others_that_ended(const char *name)
{
    word which = 0;
    for (int n = 0; n < targets; n++)
        if (target[n] != name && state_of(target[n]) != states[n])
            which |= 1l << n;
    for (int n = 0; n < clients; n++)
        if (state_of(client[n]) != states[targets + n])
            which |= 1l << (targets + n);
    return which;
}
/* One fault; whether there can be another one. */
static int inject(int n)
{
    const char *name = target[n];
    word identity;
    int number = numbered(name, &identity);
    if (number < 0)
        return 0;
    for (int t = 0; t < targets; t++)
        states[t] = state_of(target[t]);
    for (int c = 0; c < clients; c++)
        states[targets + c] = state_of(client[c]);
    look(1);
    longest = 0;
    ask(INJECT, identity, number, 0, 0);
    unsigned long long from = hrtime();
    while (!ask(STRUCK, 0, 0, 0, 0) && passed(from) < STRIKES)
        hrsleep(4 * MILLISECOND);
    int what = ask(STRUCK, 0, 0, 0, 0) ? judged(name, states[n], hrtime()) : 0;
    /* Whatever is left of it goes with the domain. */
    if (!(what & ENDED) && states[n] >= 0)
        invoke_portal(destroy, number);
    int well = recovered(name, states[n]);
    for (int c = 0; c < clients && !well; c++)
        if (behind >> c & 1) {
            /* Who stood on it may have come out of it with what is not its own; its end is told. */
            word own;
            invoke_portal(destroy, numbered(client[c], &own));
        }
    well = well || recovered(name, states[n]);
    what |= well ? RECOVERED : 0;
    what |= all_holds(check, name) ? 0 : BROKEN;
    return ask(RESULT, what, (word)longest, others_that_ended(name), 0) == 0 && what & RECOVERED;
}
int main(int argc, char **argv)
{
    inspect = portal_open("inspect.domain"), destroy = portal_open("domain.destroy"), check = portal_open("inspect.check");
    for (int n = 1; n < argc && targets < MOST && strcmp(argv[n], "--"); n++)
        target[targets++] = argv[n];
    for (int n = 2 + targets; n < argc && clients < MOST; n++) {
        char name[NAMELEN];
        snprintf(name, sizeof name, "%s.progress", argv[n]);
        portal[clients] = opened(name);
        client[clients++] = argv[n];
    }
    if (!recovered("", -ENOENT))
        return puts("the load does not begin"), 1;
    for (word n; (n = ask(NEXT, 0, 0, 0, 0)) >= 0 && n < targets;)
        if (!inject((int)n))
            return 1;
    return 0;
}
