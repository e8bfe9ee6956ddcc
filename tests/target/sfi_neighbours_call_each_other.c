// system served-together
// timeout 60
// expect stdout from outside: 42 and 42
// expect stdout of the neighbour: 42 and 42
// expect stdout the numbers are no table's: 1 and 1
// expect stdout constants and words: 741
// expect stdout passed on: "edisni", 6
// expect stdout of several pages: 15000
// expect stdout calls in calls: 10
// expect stdout the neighbour faults: 42
// expect stdout the thread of a call ends: -202
// expect stdout files: 1 and 1
// expect stdout one in Rust: 42 and 10
// expect stderr second (in domain
/* Components in one address space, and another one that calls both from its own. */
#include "include/once_there.h"

static word call(const char *name, word a, word b)
{
    int portal = once_there(name);
    word result = invoke_portal(portal, a, b);
    portal_close(portal);
    return result;
}
int main(void)
{
    static _Alignas(64) char in[64] = "inside", out[64];
    printf("from outside: %ld and %ld\n", call("first.add", 40, 2), call("second.add", 40, 2));
    printf("of the neighbour: %ld and %ld\n", call("first.ask", 40, 2), call("second.ask", 40, 2));
    printf("the numbers are no table's: %d and %d\n", call("first.number", 0, 0) >= 512, call("second.number", 0, 0) >= 512);
    printf("constants and words: %ld\n", call("first.ask_constant", 4, 0));
    word length = call("first.pass_on", (word)in, (word)out);
    printf("passed on: \"%s\", %ld\n", out, length);
    printf("of several pages: %ld\n", call("second.ask_sum", 5000, 0));
    printf("calls in calls: %ld\n", call("first.nest", 10, 0));
    printf("the neighbour faults: %ld\n", call("first.ask_fault", 0, 0));
    printf("the thread of a call ends: %ld\n", call("second.thread_ends", 0, 0));
    printf("files: %ld and %ld\n", call("first.file", 0, 0), call("second.file", 0, 0));
    printf("one in Rust: %ld and %ld\n", call("plus.add", 40, 2), call("plus.text", 7, 0));
    return 0;
}
