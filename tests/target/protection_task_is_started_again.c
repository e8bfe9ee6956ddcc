// system parts
// timeout 60
// expect stdout with their task its parts end, and are started with it again
// expect stderr tasking (domain 
// expect stderr starting tasking again
/* What becomes of the parts of a task that ends and is started again: they are started with it, though nothing says so of themselves. */
#include "include/once_there.h"

static word call(const char *name, word argument)
{
    int portal = once_there(name);
    word result = invoke_portal(portal, argument);
    portal_close(portal);
    return result;
}
static void expect(const char *what, word got, word wanted)
{
    if (got != wanted)
        exit(printf("FAILED: %s: %ld, not %ld\n", what, got, wanted));
}
int main(void)
{
    word last = 0;
    for (int round = 0; round < 3; round++) {
        word number = call("app.guest.number", 0);
        if (number <= 0 || number == last)
            expect("its number", number, last + 1);
        last = number;
        word page = call("app.tasking.shows", 0);
        if (page <= 0)
            expect("its task's page", page, 1);
        expect("what it was shown", call("app.guest.reads", page), 1);
        expect("itself", call("app.guest.itself", 1), 0);
        int guest = portal_open("app.guest.number");
        expect("its task's end", call("app.tasking.ends", 0), -EDEAD);
        expect("its own", invoke_portal(guest), -EDEAD);
        portal_close(guest);
    }
    puts("with their task its parts end, and are started with it again");
    return 0;
}
