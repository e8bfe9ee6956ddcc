// system paged
// timeout 60
// expect stdout questions alone: it is there still
// expect stdout and 4 pages that wait for each other: it is there still
/* Who goes as deep as he may (a portal that is asked opens the name that it is asked about), and has pages of his own brought there, each of which waits for the
   next, calls somebody else from there, whose memory is a pager's. It was not that one who went deep: his page is brought as ever, or the deep one ends. */
#include <pebble.h>

enum { LEVELS = 100, MOST = 4, START = 0x14000000 };
static int asid, level, reads, pagers, called;
static word nothing(void) { return 0; }
static word touches(int n) { return n < pagers ? *(volatile word *)(START + n * 4096l) : (called = 1, invoke_portal(reads)); }
static word brings(word client, word cause, word address, word pc)
{
    (void)client, (void)cause, (void)pc;
    touches((address - START) / 4096 + 1);
    return page_map(asid, (void *)(address & -4096), NULL, PAGE_READ);
}
static word judge(word client, word identity, word token)
{
    (void)client, (void)identity, (void)token;
    if (level++ < LEVELS && portal_open("app.name") < 0 && !called)
        touches(0);
    return 0;
}
static int attacks(void)
{
    asid = get_asid();
    if (portal_register("app.judge", "npiii", judge, NULL, 40) < 0)
        return 2;
    for (int n = 0; n < pagers; n++)
        if (pager_register(asid, (void *)(START + n * 4096l), 4096, brings) < 0)
            return 3;
    int asked = portal_open("app.judge");
    if (asked < 0 || portal_register_asked("app.name", "np", nothing, NULL, 1, asked, 1) < 0)
        return 4;
    return portal_open("app.name") < 0 || level < 2 || level >= LEVELS ? 5 : 0;
}
int main(void)
{
    for (int n = 0; (reads = portal_open("app.paged.reads")) < 0 && n < 1000; n++)
        hrsleep(500000);
    for (pagers = 0; pagers <= MOST; pagers++) {
        int status = 0, child = domain_fork(NULL);
        if (child == 0)
            exit(attacks());
        if (child < 0 || domain_wait(child, &status) < 0 || status > 0 || (pagers == 0 && status))
            return printf("FAILED: with %d pagers: %d\n", pagers, status), 1;
        /* The same one, by the portal that was opened before. */
        if (invoke_portal(reads) != 1)
            return printf("FAILED: with %d pagers it has ended\n", pagers), 1;
        if (pagers == 0)
            puts("questions alone: it is there still");
    }
    printf("and %d pages that wait for each other: it is there still\n", MOST);
    return 0;
}
