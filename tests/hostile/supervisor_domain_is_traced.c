// system supervised
// timeout 200
/* Calls to and from a component in supervisor mode are traced, by several, on and off, while it fails, its callers are killed and who traces is killed. Calls
   come out as they do untraced, and nothing is left of who traced. */
#include "include/lenders.h"

static int toggles(unsigned seed)
{
    static _Alignas(64) char name[NAMELEN];
    static const char *const names[] = {"inside.lends", "app.shown", "inside.fails", "files.read", "inspect.traced"};
    static _Alignas(4096) char events[PAGE];
    int control = portal_open("inspect.trace"), look = portal_open("inspect.traced");
    if (control < 0 || look < 0)
        return 1;
    for (unsigned n = seed;; n++) {
        memset(name, 0, sizeof name);
        strcpy(name, names[n % 5]);
        invoke_portal(control, name, (word)(n / 5 % 2));
        if (n % 3 == 0)
            invoke_portal(look, (word)n, events);
        if (n % 7 == 0)
            hrsleep(1000);
    }
}
static int attack(void)
{
    int tracers[2], status, failed = 0;
    int rounds = hostile_rounds(8);
    for (int round = 0; round < rounds && !failed; round++) {
        for (unsigned n = 0; n < 2; n++) {
            tracers[n] = domain_fork(0);
            if (tracers[n] == 0)
                exit(toggles(n + round));
            wall(1, tracers[n] > 0);
        }
        failed = lend_and_die(2);
        for (int n = 0; n < 2; n++) {
            domain_kill(tracers[n]);
            wall(2, domain_wait(tracers[n], &status) == 0 && (status == -EDEAD || status == 1));
        }
    }
    return failed;
}
