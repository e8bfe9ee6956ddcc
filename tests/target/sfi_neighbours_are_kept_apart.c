// system served-together
// timeout 60
// expect stdout numbers of the neighbour's: 0 more
// expect stdout its memory: -14, the host's: -14, a device's: -14
// expect stdout names of others: -204 and -204
// expect stdout what the neighbour provides: -204, -2, and still 42
// expect stdout calls without end: -203, and then 42
// expect stdout it loops until it is late: -116, and then 42
// expect stdout a loop in one that ends: -202, and then 42
// expect stdout a wait in one that ends: -202, and then 42
// expect stdout the thread of a neighbour's call ends: -202, and then 42
// expect stdout its exit: -202, and no more: -2, but the others: 42 and 42
// expect stderr second (in domain
/* What a component does to another one in its address space, and what is left of it. */
#include <pebble.h>

#define MILLISECOND 500000ull /* at 1 GHz; a tick is two cycles */

static int opened(const char *name)
{
    int portal = -1;
    for (int n = 0; portal < 0 && n < 1000; n++) {
        portal = portal_open(name);
        if (portal < 0)
            hrsleep(MILLISECOND);
    }
    return portal;
}
static word call(const char *name, word a, word b)
{
    int portal = opened(name);
    word result = invoke_portal(portal, a, b);
    portal_close(portal);
    return result;
}
/* With a text. */
static word with(const char *name, const char *text)
{
    static _Alignas(64) char shown[64];
    strcpy(shown, text);
    return call(name, (word)shown, 0);
}
/* Until it is there again. */
static word again(void)
{
    word result = -1;
    for (int n = 0; n < 1000 && result != 42; n++) {
        result = call("second.add", 40, 2);
        if (result != 42)
            hrsleep(MILLISECOND);
    }
    return result;
}
static void end_it(void *unused)
{
    (void)unused;
    hrsleep(20 * MILLISECOND);
    call("second.fault", 0, 0);
}
int main(void)
{
    again();
    word before = call("first.numbers", 0, 0);
    word opened_by_it = call("second.leave_open", 0, 0);
    printf("numbers of the neighbour's: %ld more\n", opened_by_it == 1 ? call("first.numbers", 0, 0) - before : -1);
    printf("its memory: %ld, the host's: %ld, a device's: %ld\n", call("first.show", call("second.address", 0, 0), 0),
           call("first.show", 0x40000, 0), call("first.show", 0x28000000, 0));
    printf("names of others: %ld and %ld\n", with("first.open_name", "server.add"), with("second.open_name", "app.add"));
    word provided = with("first.provide", "second.other"), withdrawn = with("first.withdraw", "second.add");
    printf("what the neighbour provides: %ld, %ld, and still %ld\n", provided, withdrawn, call("second.add", 40, 2));
    word nested = call("first.nest", 1000, 0);
    printf("calls without end: %ld, and then %ld\n", nested, call("first.ask", 40, 2));
    word late = invoke_portal_timed(20 * MILLISECOND, opened("second.loop"));
    printf("it loops until it is late: %ld, and then %ld\n", late, again());
    thread_create(end_it, 0, -1);
    word looped = call("second.loop", 0, 0);
    printf("a loop in one that ends: %ld, and then %ld\n", looped, again());
    thread_create(end_it, 0, -1);
    word waited = call("second.wait", 50 * MILLISECOND, 0);
    printf("a wait in one that ends: %ld, and then %ld\n", waited, again());
    word ended = with("first.relay", "thread_ends");
    printf("the thread of a neighbour's call ends: %ld, and then %ld\n", ended, again());
    word left = call("second.exit", 3, 0);
    hrsleep(20 * MILLISECOND);
    printf("its exit: %ld, and no more: %d, but the others: %ld and %ld\n", left, portal_open("second.add"),
           call("first.add", 40, 2), call("server.add", 40, 2));
    return 0;
}
