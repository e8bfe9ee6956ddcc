// expect stdout a part sees all of what takes several turns to show, and none of it where one page is not there
// timeout 30
/* What is shown to a domain of protection, or hidden from it, at one time, may be more than the memory manager does in one turn. */
#include <pebble.h>

enum { TURN = 0x200000, BYTES = 3 * TURN + 4096 };
static _Alignas(TURN) char pages[BYTES];

static word sum(const char *from, word bytes)
{
    word total = 0;
    for (word n = 0; n < bytes; n += 4096)
        total += from[n];
    return total;
}
DP_MODULE(module, sum)

static int part(void)
{
    int dp = dp_create("part");
    if (dp < 0 || dp_show_program(dp) < 0 || dp_register(dp, module, module_procedures, 1) < 0)
        exit(printf("FAILED: no part: %d\n", dp));
    return dp;
}
static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted));
}
int main(void)
{
    for (word n = 0; n < BYTES; n += 4096)
        pages[n] = 1;
    int dp = part();
    expect("showing", dp_make_visible(dp, pages, BYTES, PAGE_READ), 0);
    expect("what it sees", dp_call(dp, module, 0, 0, pages, (word)BYTES), BYTES / 4096);
    expect("hiding", dp_make_invisible(dp, pages + 4096, BYTES - 8192), 0);
    expect("the first", dp_call(dp, module, 0, 0, pages, 4096l), 1);
    expect("the last", dp_call(dp, module, 0, 0, pages + BYTES - 4096, 4096l), 1);
    expect("what was hidden", dp_call(dp, module, 0, 0, pages + 2 * TURN, 4096l), -EDEAD);
    page_unmap(get_asid(), pages + BYTES - 4096);
    dp = part();
    expect("more than there is", dp_make_visible(dp, pages, BYTES, PAGE_READ), -EFAULT);
    expect("no whole page", dp_make_visible(dp, pages, BYTES - 1, PAGE_READ), -EINVAL);
    expect("more rights", dp_make_visible(dp, pages, BYTES - 4096, PAGE_READ | PAGE_EXECUTE), -EACCESS);
    expect("past all", dp_make_invisible(dp, pages, (size_t)-4096), -EINVAL);
    expect("nothing of it", dp_call(dp, module, 0, 0, pages, 4096l), -EDEAD);
    puts("a part sees all of what takes several turns to show, and none of it where one page is not there");
    return 0;
}
