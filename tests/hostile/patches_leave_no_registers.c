// system patched
// timeout 60
// ways plain touch slices strict strict-touch
/* A task that its domain of protection has called by a patch of the domain's tables calls on from there. What closes the patch on the way has worked with its
   address: no register that the call need not keep has it afterwards. Not in a sandbox: the domain of protection is a component of the system's, in the task
   that its file names. */
#define HOSTILE_IN_PLACE
#include "../target/include/once_there.h"
#include "include/hostile.h"

enum { GET_THREAD_PORTAL = 7, NO_SUCH_PORTAL = 500, REGISTERS = 7, CALLS = 100 };
static int seen, called;

static int opened(const char *part, const char *what)
{
    char name[NAMELEN];
    snprintf(name, sizeof name, "app.%s.%s", part, what);
    return once_there(name);
}
/* Each is what it was before the call, 0, or (`t1`: fetched as the thread goes on) an address of the program's. */
static void calls_on(long number)
{
    unsigned long left[REGISTERS];
    register long a7 asm("a7") = number;
    asm volatile("li t0, 1\n li t1, 2\n li t2, 3\n li t3, 4\n li t4, 5\n li t5, 6\n li t6, 7\n ecall\n"
                 "sd t0, 0(%1)\n sd t1, 8(%1)\n sd t2, 16(%1)\n sd t3, 24(%1)\n sd t4, 32(%1)\n sd t5, 40(%1)\n sd t6, 48(%1)\n"
                 : "+r"(a7) : "r"(left) : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "memory");
    for (unsigned long n = 0; n < REGISTERS; n++)
        if (left[n] != 0 && left[n] != n + 1 && !(n == 1 && left[n] < 1ul << 38))
            printf("FAILED: t%lu has %#lx after call %ld\n", n, left[n], number), seen++;
}
static word touches(word n, word at)
{
    *(volatile word *)at = n;
    called++;
    /* Only the first call of each leaves by a patch. */
    calls_on(n % 2 ? GET_THREAD_PORTAL : NO_SUCH_PORTAL);
    calls_on(GET_THREAD_PORTAL);
    return 0;
}
static word nothing(void)
{
    return 0;
}
static int attack(void)
{
    static _Alignas(4096) volatile word page[512];
    const struct { const char *name; word (*entry)(); } all[] = {{"app.max", nothing}, {"app.touches", touches}, {"app.inward", nothing}, {"app.waits", nothing}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        wall(1, portal_register(all[n].name, "npii", all[n].entry, NULL, n == 0 ? 8 : 0) >= 0);
    /* Out of a patch, and out of none. */
    const char *const parts[] = {"patch", "asid"};
    for (int n = 0; n < 2; n++) {
        called = 0;
        wall(2 + n, invoke_portal(opened(parts[n], "calls"), 1l, (word)hostile_rounds(CALLS), (word)page) == 0);
        wall(4 + n, called == hostile_rounds(CALLS) && seen == 0);
    }
    return 0;
}
