// system spawns
// expect stdout a share: 9, all that loads: 9
// expect stdout once 48 were killed while they loaded: 9
/* What a domain has loaded and never starts counts for its account, which has its share of the places for that, and goes with the domain: also where that is
   killed while init loads for it. */
#include <errno.h>
#include <pebble.h>
#include <stdio.h>

/* lib/abi/src/spawn.rs. */
static _Alignas(4096) struct {
    uint64_t words, inherited;
    char strings[4080];
} request = {1, 0, "started"};
enum { MOST = 60, KILLED = 48, TICKS = 250000 };
static int load, destroy;

static word loads(void)
{
    return invoke_portal(load, &request, 16l + (word)sizeof "started");
}
/* How many this domain may load and not start. */
static int share(void)
{
    word loaded[MOST];
    int count = 0;
    while (count < MOST && (loaded[count] = loads()) > 0)
        count++;
    if (loaded[count] != -EBUSY)
        printf("%s\n", pebble_strerror(loaded[count]));
    for (int n = 0; n < count; n++)
        invoke_portal(destroy, loaded[n]);
    return count;
}
/* The same, as soon as init has heard of all that has ended, at most two seconds from now. */
static int share_later(int wanted)
{
    int found = -1;
    for (int n = 0; n < 20 && found != wanted; n++) {
        hrsleep(50000000);
        found = share();
    }
    return found;
}
int main(void)
{
    load = portal_open("init.load"), destroy = portal_open("domain.destroy");
    int status, first = share();
    /* One that has loaded all it may, and ends. */
    int child = domain_fork(0);
    if (child == 0) {
        int count = 0;
        while (loads() > 0)
            count++;
        exit(count);
    }
    domain_wait(child, &status);
    printf("a share: %d, all that loads: %d\n", first, status);
    for (int n = 0; n < KILLED; n++) {
        child = domain_fork(0);
        if (child == 0) {
            set_priority(15);
            while (loads() > 0 || 1)
                ;
        }
        hrsleep(TICKS * (1 + n % 16));
        domain_kill(child);
        domain_wait(child, &status);
    }
    printf("once %d were killed while they loaded: %d\n", KILLED, share_later(first));
    return 0;
}
