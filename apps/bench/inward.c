/* Calls from domains of protection to their task, by another address space, by a patch, and by what is computed to be cheaper: a round trip, where both touch
   `f` pages that both see, and the task `d` pages that only it sees. In ticks of two cycles (on QEMU with --icount, of two instructions); beside them what touching
   the pages takes. Its system is "patched". */
#include <pebble.h>

enum { ROUNDS = 100, WARM = 10 };
static _Alignas(4096) volatile word shown[16][512], hidden[16][512];

static int opened(const char *part, const char *what)
{
    char name[NAMELEN];
    int portal;
    snprintf(name, sizeof name, "app.%s.%s", part, what);
    for (int tries = 0; (portal = portal_open(name)) < 0; tries++) {
        if (tries == 400)
            exit(printf("%s: %s\n", name, pebble_strerror(portal)));
        hrsleep(10000000);
    }
    return portal;
}
static word touches(word round, word pages)
{
    word sum = round - round;
    for (word n = 0; n < pages % 32; n++)
        sum += shown[n][0];
    for (word n = 0; n < pages / 32; n++)
        sum += hidden[n][0];
    return sum;
}
/* Cycles of a round. */
static word cycles(int ticks, word f, word d)
{
    invoke_portal(ticks, 1l, (word)WARM, f + 32 * d);
    word before = invoke_portal(ticks, 1l, (word)WARM, f + 32 * d);
    return (invoke_portal(ticks, 1l, (word)(WARM + ROUNDS), f + 32 * d) - before) * 2 / ROUNDS;
}
int main(int argc, char **argv)
{
    static const char *const parts[] = {"asid", "patch", "auto"};
    word f = argc > 1 ? atoi(argv[1]) : 4;
    if (portal_register("app.touches", "npii", touches, NULL, 4) < 0)
        return 1;
    for (int part = 0; part < 3; part++) {
        char name[NAMELEN];
        int ticks = opened(parts[part], "ticks"), warms = opened(parts[part], "warms");
        snprintf(name, sizeof name, "by-%s", parts[part]);
        int dp = dp_open(name);
        if (dp < 0 || dp_make_visible(dp, (void *)shown, sizeof shown, PAGE_READ) < 0)
            return 2;
        invoke_portal(warms, shown, f);
        printf("%-5s f = %ld:", parts[part], f);
        for (word d = 0; d <= 8; d = d ? 2 * d : 1)
            printf("  %ld", cycles(ticks, f, d));
        puts("");
    }
    return 0;
}
