// system lost
// on strict
// timeout 60
// expect stdout 39 times it has ended alone
#include <pebble.h>
#include "include/all_holds.h"
#include "include/opened.h"
/* A trusted component whose stack pointer is wrong ends, and none but it: who answers its fault, or its call, is one that the system stands on, and does not go on there. */
#define SERVICE_STACKS 0x1040000000l /* where those of threads are, the first, which is nobody's, included */
#define STRIDE         0x8000l

/* What it calls has a page brought, and asks one of the first components, on the service stack. */
static word back(void)
{
    static char pages[64 * 4096];
    static int next;
    volatile char *page = pages + next++ * 4096;
    *page = 1;
    return portal_close(portal_open("inspect.counts"));
}

int main(void)
{
    static const char *const way[] = {"a fault", "a call", "a call of another's"};
    long own = SERVICE_STACKS + get_thread() % 4096 * STRIDE, top = own + STRIDE;
    const long where[] = {
        0, 8, -1, 0x7fffffffffffffff, (long)(1ul << 63), /* none at all */
        0x40000,                              /* its own code, */
        top + STRIDE, own, own - 16,          /* other threads' stacks, */
        top + 16, own + 16,                   /* beside its own, */
        top - 3000 + 3, top - 5000,           /* and in its own, but not where a stack pointer can be */
    };
    portal_register("app.back", "np", back, 0, 2);
    int fault = opened("lost.fault"), call = opened("lost.call"), who = opened("lost.who"), check = portal_open("inspect.check"), times = 0;
    for (unsigned n = 0; n < sizeof where / sizeof *where; n++)
        for (int calls = 0; calls < 3; calls++) {
            word before = invoke_portal(who), result = invoke_portal(calls ? call : fault, where[n], (word)(calls == 2)), after = invoke_portal(who);
            if (result != -EDEAD || before <= 0 || after <= 0 || after == before || !all_holds(check, way[calls])) {
                printf("with %#lx, %s: %ld, and %ld before, %ld behind\n", where[n], way[calls], result, before, after);
                return 1;
            }
            times++;
        }
    printf("%d times it has ended alone\n", times);
}
