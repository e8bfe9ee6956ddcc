// expect stdout 1000 domains of protection were made and called, 50 of them ended by a fault
// expect stdout nothing is left
// timeout 60
/* Domains of protection that are destroyed, and that end by a fault, leave nothing: no domain, block, thread, stack or frame. */
#include <pebble.h>

static _Alignas(4096) word seen[512];
static word first(const word *at) { return *at; }
DP_MODULE(module, first)

static struct { uint64_t counts[15]; } __attribute__((aligned(128))) counted;
static void left(int portal, uint64_t *out)
{
    invoke_portal(portal, &counted);
    memcpy(out, counted.counts, sizeof counted.counts);
}
static int part(word faults)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, module, module_procedures, 1) || dp_make_visible(dp, seen, sizeof seen, PAGE_READ))
        return dp < 0 ? dp : -1;
    /* What it takes and does not see any more is its own, too. */
    char *taken = dp_take(dp, 4 * 4096);
    if (!taken || dp_make_invisible(dp, taken + 4096, 2 * 4096))
        return -1;
    word result = dp_call(dp, module, 0, 0, faults ? (word *)8 : seen);
    return result != (faults ? -EDEAD : 7) ? (int)result : dp_destroy(dp);
}
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000, count = portal_open("inspect.counts");
    uint64_t before[15], after[15];
    seen[0] = 7;
    /* Numbers are used again as late as possible: what is kept by number is there after all have been. */
    for (int n = 0; n < 600; n++)
        part(n % 20 == 0);
    left(count, before);
    for (int n = 0; n < rounds; n++) {
        int failed = part(n % 20 == 0);
        if (failed)
            return printf("round %d: %s\n", n, pebble_strerror(failed)), 1;
    }
    left(count, after);
    printf("%d domains of protection were made and called, %d of them ended by a fault\n", rounds, (rounds + 19) / 20);
    int differs = 0;
    for (int n = 0; n < 15; n++)
        if (before[n] != after[n])
            differs += printf("%d: %lu, then %lu\n", n, before[n], after[n]) > 0;
    if (!differs)
        printf("nothing is left\n");
    return differs;
}
