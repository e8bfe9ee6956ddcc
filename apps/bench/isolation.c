/* Round trips from C to the same server in an address space of its own, trusted in one, and in supervisor mode (systems/bench-isolation.toml);
   and a byte to the console's driver. On the model in cycles, on QEMU in instructions:

     ./pebble exec --icount --system bench-isolation apps/bench/isolation.c
     ./pebble exec --on rtl --system bench-isolation apps/bench/isolation.c 30 */
#include "bench.h"

static char window[64] __attribute__((aligned(64)));

static void row(const char *isolation, const char *specification, unsigned long value)
{
    ROW(value, .table = "isolation", .operation = isolation, .specification = specification, .measure = "round-trip");
}
static int opened(const char *isolation, const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "answers.%s-%s", isolation, what);
    return open_or_exit(name);
}
int main(int argc, char **argv)
{
    static const char *const isolations[] = {"domain", "trusted", "supervisor"};
    int count = repetitions(argc, argv);
    for (size_t n = 0; n < sizeof isolations / sizeof *isolations; n++) {
        int shared = opened(isolations[n], "smciii"), own = opened(isolations[n], "npiii"), lends = opened(isolations[n], "nmri");
        if (invoke_portal(shared, 1l, 2l, 3l) != 6 || invoke_portal(own, 1l, 2l, 3l) != 6 || invoke_portal(lends, window, 64l) != 64)
            return printf("%s: it answers otherwise\n", isolations[n]), 1;
        row(isolations[n], "smciii", MEASURE(count, invoke_portal(shared, 1l, 2l, 3l)));
        row(isolations[n], "npiii", MEASURE(count, invoke_portal(own, 1l, 2l, 3l)));
        row(isolations[n], "nmri", MEASURE(count, invoke_portal(lends, window, 64l)));
    }
    return 0;
}
