// system parts
// expect stdout its holder registers an entry point behind the header: EACCESS, and calls it: ENOENT
// expect stdout shows it a page: EACCESS, hides its code: EACCESS
// expect stdout passes it a portal: EACCESS, takes one away: EACCESS
// expect stdout takes memory for it: EACCESS, delegates in its name: EACCESS
// expect stdout ends it: EACCESS
// expect stdout asks for its number: the same; calls what is registered: 12
// expect stdout who made it, a part of the program too, does all that: 0
// expect stdout and its task: 0
/* The handle of a domain of protection that was passed on lets its holder call it. What the domain is made of is its maker's and its task's to say. */
#include <pebble.h>
#include "include/parts.h"

static _Alignas(4096) word page[512];

static word adds(word a, word b) { return a + b; }
static word inner(void) { return 1005; }
DP_MODULE(module, adds)

enum { REGISTER = 1, CONNECT, SHOW, PASS, WITHDRAW, DESTROY, NUMBER, DELEGATE, TAKE = 10 };
/* The holder: operates on the handle, and calls. */
static word operates(word operate, word handle, word what, const word *more) { return invoke_portal(operate, handle, what, more[0], more[1], more[2]); }
static word calls(word portal, word a, word b) { return invoke_portal(portal, 0l, 0l, a, b); }
static word makes(word create, const char *name) { return invoke_portal(create, name); }
DP_MODULE(holder, operates, calls, makes)
enum { OPERATES, CALLS, MAKES };

static int operate, other;
static word does(int handle, word what, word a, word b, word c)
{
    page[0] = a, page[1] = b, page[2] = c;
    return dp_call(other, holder, OPERATES, 0, operate, handle, what, page);
}
int main(void)
{
    operate = portal_open("protection.operate");
    int dp = made(dp_create("module"), module, module_procedures), create = portal_open("protection.create");
    other = made(dp_create("holder"), holder, holder_procedures);
    int portal = dp_connect(dp, module), semaphore = sem_create(0);
    int passed = dp_make_visible(other, page, sizeof page, PAGE_READ | PAGE_WRITE);
    for (const int *n = (const int[]){dp, operate, portal, semaphore, create, 0}; *n; n++)
        passed |= dp_pass_port_right(other, *n);
    if (passed || dp_pass_port_right(dp, semaphore + 1))
        return puts("FAILED: nothing was passed");
    word got = does(dp, REGISTER, (word)inner, 1, 1);
    printf("its holder registers an entry point behind the header: %s, ", name(got));
    printf("and calls it: %s\n", name(does(dp, CONNECT, (word)inner, 0, 0)));
    got = does(dp, SHOW, (word)page, sizeof page, PAGE_READ);
    printf("shows it a page: %s, ", name(got));
    printf("hides its code: %s\n", name(does(dp, SHOW, (word)main & -4096, 4096, 0)));
    printf("passes it a portal: %s, ", name(does(dp, PASS, semaphore, 0, 0)));
    printf("takes one away: %s\n", name(does(dp, WITHDRAW, semaphore + 1, 0, 0)));
    printf("takes memory for it: %s, ", name(does(dp, TAKE, 4096, 0, 0)));
    printf("delegates in its name: %s\n", name(does(dp, DELEGATE, portal, 1, 1)));
    printf("ends it: %s\n", name(does(dp, DESTROY, 0, 0, 0)));
    printf("asks for its number: %s; ", does(dp, NUMBER, 0, 0, 0) == dp_number(dp) ? "the same" : "another");
    printf("calls what is registered: %ld\n", dp_call(other, holder, CALLS, 0, portal, 5l, 7l));

    /* One that it makes itself. */
    strcpy((char *)(page + 256), "own");
    word own = dp_call(other, holder, MAKES, 0, create, page + 256);
    word all = own < 0 ? own : 0;
    all |= does(own, REGISTER, (word)adds, 1, 1) | does(own, SHOW, (word)page, sizeof page, PAGE_READ) | does(own, PASS, semaphore, 0, 0);
    printf("who made it, a part of the program too, does all that: %ld\n", all | does(own, DESTROY, 0, 0, 0));
    all = dp_register(dp, inner, 1, 1) | dp_make_visible(dp, page, sizeof page, PAGE_READ) | dp_withdraw_port_right(dp, semaphore + 1);
    printf("and its task: %ld\n", all | (word)dp_destroy(dp));
    return 0;
}
