// timeout 60
// expect stdout a copy for which there are too few domains: refused
// expect stdout nothing is left of it
// expect stdout the task's domains go on, and a smaller copy is made
/* A task with many domains of protection is copied until its account may have no more domains: the copy that does not fit leaves nothing. */
#include <pebble.h>

enum { PARTS = 100, COPIES = 8 };
static _Alignas(4096) word seen[512];
static word reads(const word *at) { return *at; }
DP_MODULE(module, reads)
static int parts[PARTS];

static uint64_t domains(void)
{
    static struct { uint64_t counts[15]; } counted __attribute__((aligned(128)));
    static int portal;
    portal = portal ? portal : portal_open("inspect.counts");
    invoke_portal(portal, &counted);
    return counted.counts[0];
}
int main(void)
{
    seen[0] = 7;
    for (int n = 0; n < PARTS; n++) {
        int dp = parts[n] = dp_create("part");
        if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) || dp_make_visible(dp, seen, sizeof seen, PAGE_READ))
            return printf("part %d: %s\n", n, pebble_strerror(dp)), 1;
    }
    int go = sem_create(0), copies[COPIES], made = 0, last = 0;
    uint64_t before = 0;
    while (made < COPIES) {
        before = domains();
        last = domain_fork(NULL);
        if (last == 0) {
            sem_wait(go);
            for (int n = 0; n < PARTS; n++)
                if (dp_call(parts[n], module, 0, 0, seen) != 7)
                    _Exit(1);
            _Exit(0);
        }
        if (last < 0)
            break;
        copies[made++] = last;
    }
    if (made == 0 || last != -ENFILE)
        return printf("%d copies, then %s\n", made, pebble_strerror(last)), 1;
    puts("a copy for which there are too few domains: refused");
    if (domains() != before)
        return printf("%lu domains, not %lu\n", domains(), before), 1;
    puts("nothing is left of it");
    for (int n = 0, status; n < made; n++) {
        sem_post(go);
        if (domain_wait(copies[n], &status) || status)
            return printf("copy %d: %d\n", n, status), 1;
    }
    for (int n = 0; n < PARTS; n++)
        if (dp_call(parts[n], module, 0, 0, seen) != 7 || (n > 0 && dp_destroy(parts[n])))
            return printf("part %d\n", n), 1;
    int status = -1, copy = domain_fork(NULL);
    if (copy == 0)
        _Exit(dp_call(parts[0], module, 0, 0, seen) != 7 || dp_call(parts[1], module, 0, 0, seen) >= 0);
    if (copy > 0 && domain_wait(copy, &status) == 0 && status == 0)
        puts("the task's domains go on, and a smaller copy is made");
    return status;
}
