// expect stdout 55 + 1 = 56, and the module that reaches outside is dead
// expect stdout its neighbour goes on: 57
/* A program in parts: a module that sees one page of its caller's and sums it; one that reaches outside dies alone. */
#include <pebble.h>

static word sum(const word *numbers, word count)
{
    word total = 0;
    for (word n = 0; n < count; n++)
        total += numbers[n];
    return total;
}
static word reach(const word *outside)
{
    return *outside;
}
DP_MODULE(module, sum, reach)

static word page[512] __attribute__((aligned(4096)));
static word secret;

static int made(const char *name)
{
    int dp = dp_create(name);
    if (dp < 0 || dp_show_program(dp) < 0 || dp_register(dp, module, module_procedures, 1) < 0)
        return printf("%s: %s\n", name, pebble_strerror(dp)), -1;
    return dp;
}
int main(void)
{
    int one = made("one"), other = made("other");
    for (int n = 1; n <= 10; n++)
        page[n] = n;
    if (one < 0 || other < 0 || dp_make_visible(one, page, sizeof page, PAGE_READ) < 0)
        return 1;
    word total = dp_call(one, module, 0, 0, page, 11);
    page[11] = 1;
    word more = dp_call(one, module, 0, 0, page, 12);
    word dead = dp_call(one, module, 1, 0, &secret), again = dp_call(one, module, 0, 0, page, 11);
    if (dead != -EDEAD || again != -EDEAD)
        return printf("%ld %ld\n", dead, again), 2;
    printf("%ld + 1 = %ld, and the module that reaches outside is dead\n", total, more);
    page[12] = 1;
    dp_make_visible(other, page, sizeof page, PAGE_READ);
    printf("its neighbour goes on: %ld\n", dp_call(other, module, 0, 0, page, 13));
    return dp_destroy(one) || dp_destroy(other);
}
