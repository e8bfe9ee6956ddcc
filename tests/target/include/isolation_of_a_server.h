/* What a client sees of the server of systems "served" and "served-sfi". */
#include "opened.h"


static word add(word a, word b) { return a + b; }
static int again(void)
{
    for (int n = 0; n < 1000; n++) {
        int portal = opened("server.add");
        word result = invoke_portal(portal, 40l, 2l);
        portal_close(portal);
        if (result == 42)
            return 42;
        hrsleep(MILLISECOND);
    }
    return -1;
}
static void kill_it(void *asid)
{
    hrsleep(20 * MILLISECOND);
    invoke_portal(portal_open("domain.destroy"), (word)asid);
}
static _Alignas(4096) char pages[4 * 4096];
static _Alignas(64) char in[64], out[64];

static void calls_and_windows(void)
{
    printf("40 and 2: %ld\n", invoke_portal(opened("server.add"), 40l, 2l));
    printf("letters: %d\n", invoke_portal(opened("server.letters"), 5l) == get_asid());
    strcpy(in, "inside");
    word length = invoke_portal(opened("server.talk"), in, out);
    printf("turned round: \"%s\", %ld\n", out, length);
    memset(pages + 4000, 1, 5000);
    printf("a sum over three pages: %ld\n", invoke_portal(opened("server.sum"), pages + 4000, 5000l));
    memset(pages, '-', sizeof pages);
    word filled = invoke_portal(opened("server.fill"), pages + 4090, 4100l, (word)'x');
    for (int n = 0; n < 4100; n++)
        filled -= pages[4090 + n] != 'x';
    printf("filled: %ld, and what is beside it: %.2s and %.2s\n", filled, pages + 4088, pages + 4090 + 4100);
    portal_register("app.add", "npii", add, 0, 1);
    strcpy(in, "hi");
    printf("passed on: %ld\n", invoke_portal(opened("server.pass_on"), in, 2l));
    invoke_portal(opened("server.argument"), out);
    printf("its last argument: \"%s\"\n", out);
    printf("allocated: %ld\n", invoke_portal(opened("server.allocate"), 100000l));
    printf("the thread ended: %ld\n", invoke_portal(opened("server.thread_ends")));
}
static void ends(void)
{
    int fault = opened("server.fault");
    word first = invoke_portal(fault, 0l);
    printf("a fault: %ld, and again: %ld\n", first, invoke_portal(fault, 0l));
    printf("started again: %d\n", again());
    printf("a jump to nowhere: %ld\n", invoke_portal(opened("server.fault"), 1l));
    printf("started again: %d\n", again());
    word asid = invoke_portal(opened("server.own_number"));
    thread_create(kill_it, (void *)asid, -1);
    printf("killed in a call: %ld\n", invoke_portal(opened("server.wait"), 0l));
    printf("started again: %d\n", again());
    word late = invoke_portal_timed(20 * MILLISECOND, opened("server.wait"), 500 * MILLISECOND);
    printf("too late: %ld, and others are answered: %d\n", late, again());
    printf("its exit: %ld\n", invoke_portal(opened("server.exit"), 3l));
}
int main(void)
{
    calls_and_windows();
    ends();
    return 0;
}
