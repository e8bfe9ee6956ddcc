// system crossed
// expect status 0
// expect stdout nothing but arguments and results
/* Fault domains in one address space ("crossed", tests/target/components/crossed.c): what one computes with, which stays in all its registers, is in none of
   another's that has called it, and what one has in all its registers in none of another's that it calls; nor is anything of their host's, behind
   its calls and the system's. */
#include <pebble.h>

static int wrong;
static int opened(const char *who, const char *what)
{
    static _Alignas(64) char name[64];
    snprintf(name, sizeof name, "%s.%s", who, what);
    int portal = -1;
    for (int n = 0; portal < 0 && n < 1000; n++) {
        portal = portal_open(name);
        if (portal < 0)
            hrsleep(500000);
    }
    return portal;
}
/* `found`: how many registers, and above that the number of the first, of which floating-point ones are 32 to 63, their flags 64. */
static void none(const char *who, const char *what, word with, word found)
{
    if (found)
        printf("%s, %s (%ld): %ld\n", who, what, with, found), wrong++;
}
int main(void)
{
    static const char *const all[] = {"one", "two", "three", "four"};
    /* scheduler.yield and sleep, a semaphore, portal.unregister, open, close and info of nothing, a page, and no portal at all */
    static const word calls[] = {4, 5, 9, 12, 13, 14, 17, 29, 500};
    for (int n = 0; n < 4; n++) {
        int behind = opened(all[n], "behind"), timed = opened(all[n], "behind_timed"), finds = opened(all[n], "finds"), system = opened(all[n], "system");
        if (invoke_portal(opened(all[n], "timed")) != 7)
            printf("%s: not told the time\n", all[n]), wrong++;
        none(all[n], "entered", 0, invoke_portal(opened(all[n], "entered")));
        for (word other = 0; other < 3; other++) {
            none(all[n], "behind a call of the others' number", other, invoke_portal(behind, other));
            none(all[n], "behind a call of what is told the time, of the others' number", other, invoke_portal(timed, other));
            none(all[n], "finds, of the others' number", other, invoke_portal(finds, other));
        }
        for (size_t call = 0; call < sizeof calls / sizeof *calls; call++)
            none(all[n], "behind a call of the system's number", calls[call], invoke_portal(system, calls[call]));
    }
    if (!wrong)
        puts("nothing but arguments and results");
    return wrong;
}
