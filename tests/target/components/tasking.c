/* A task that shows its part a page, and ends by a fault when it is asked to. */
#include <pebble.h>

static _Alignas(4096) word page[512] = {1, 2, 3};
static word shows(void)
{
    int dp = dp_open("guest");
    int shown = dp < 0 ? dp : dp_make_visible(dp, page, sizeof page, PAGE_READ);
    if (dp >= 0)
        dp_close(dp);
    return shown < 0 ? shown : (word)page;
}
static word ends(void)
{
    return *(volatile word *)8;
}
int main(void)
{
    if (portal_register("app.tasking.shows", "np", shows, NULL, 1) < 0 || portal_register("app.tasking.ends", "np", ends, NULL, 1) < 0)
        return 1;
    thread_exit();
}
