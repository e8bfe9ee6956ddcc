// system reused
// timeout 120
// expect status 0
// expect stdout the victim has 1234 after 400 attempts, 0 windows were opened
/* What a portal's number stands for is looked at, a call's arguments are checked against that, and then it is called by its number. Between the two
   the server dies that has granted it, where the table has no other number free, and the next portal that is opened has a window: with the number, it
   would be called with an address that was looked at as a plain word, of another fault domain's. */
#include "../hostile/include/grant.h"

enum { ATTEMPTS = 400 };
static volatile int hits;

static word harmless(word a, word b, word c, word d, word e, word f) { return (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, 77; }
static word give(word what)
{
    if (what == 1)
        exit(0);
    grant.constant = 1;
    return give_portals(1, "npiiiiii", harmless);
}
/* Opens a window for writing. */
static word writes(volatile word *window)
{
    *window = 666;
    hits++;
    return 66;
}
static int opened(const char *name)
{
    int portal = -1;
    for (int n = 0; portal < 0 && n < 1000; n++) {
        portal = portal_open(name);
        if (portal < 0)
            hrsleep(500000);
    }
    return portal;
}
int main(void)
{
    int address = opened("victim.address"), value = opened("victim.value"), fill = opened("attacker.fill");
    int prepare = opened("attacker.prepare"), strike = opened("attacker.strike"), reset = opened("attacker.reset"), state = opened("attacker.state");
    word target = invoke_portal(address);
    if (portal_register("app.write", "npw", writes, NULL, 4) < 0)
        return 2;
    printf("the victim has %ld at %lx\n", invoke_portal(value), target);
    printf("the attacker fills the table: %ld\n", invoke_portal(fill));
    unsigned long seed = 1;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        int served = sem_create(0), child = domain_fork(NULL);
        if (child == 0) {
            if (portal_register("app.give", "npi", give, NULL, 3) < 0)
                _Exit(4);
            sem_post(served);
            thread_exit();
        }
        sem_wait(served);
        word number = invoke_portal(prepare, target);
        if (number < 0)
            return printf("attempt %d: prepare: %ld\n", attempt, number), 2;
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        word again = invoke_portal(strike, (word)(50000 + (seed >> 40) % 20000));
        hrsleep(500000);
        word last = invoke_portal(state);
        if (attempt <= 5 || hits)
            printf("attempt %d: granted %ld, then opened there %ld, the last call's result %ld\n", attempt, number, again, last);
        word now = invoke_portal(value);
        if (now != 1234) {
            printf("attempt %d: the victim has %ld: written through a window that the attacker opened on it\n", attempt, now);
            return 1;
        }
        word closed;
        for (int n = 0; (closed = invoke_portal(reset)) == -EBUSY && n < 1000; n++)
            hrsleep(100000);
        if (closed < 0)
            return printf("attempt %d: reset: %ld, last %ld, hits %d, the victim has %ld\n", attempt, closed, invoke_portal(state), hits, invoke_portal(value)), 2;
        domain_wait(child, NULL);
        sem_destroy(served);
    }
    printf("the victim has %ld after %d attempts, %d windows were opened\n", invoke_portal(value), ATTEMPTS, hits);
    return 0;
}
