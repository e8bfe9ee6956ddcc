// timeout 120
/* Faults on top of calls as deep as they go, answered by handlers that use floating point, fault themselves and lose the hart: each
   pushes frames of exceptions and of floating-point state on the thread's invocation stack. No frame comes over what the nucleus
   keeps below it: every register is right afterwards, or the domain has ended. */
#include "include/hostile.h"

enum { NESTED = 3, DEEPEST = 60, WRONG = 3, TOO_DEEP = 4, WIDE = 3, STACKS = 24 };
static int narrow, wide;
static _Alignas(4096) volatile char pages[NESTED][4096];

static word answer(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    long n = (address - (word)pages) / 4096;
    double twice = 2.0 * address;
    __asm__ volatile("" : "+f"(twice));
    yield();
    if (n + 1 < NESTED)
        pages[n + 1][8] = 1;
    yield();
    __asm__ volatile("" : "+f"(twice));
    if (twice != 2.0 * address)
        exit(WRONG);
    return page_map(asid, (void *)pages[n], NULL, PAGE_READ | PAGE_WRITE);
}
/* `n` calls from here the stack is as deep as it is to be: there, page 0 is touched with live floating point. */
static word deeper(word n, word wide_ones)
{
    double kept = 3.0 * n + wide_ones;
    __asm__ volatile("" : "+f"(kept));
    word result;
    if (wide_ones > 0)
        result = invoke_portal(wide, n, wide_ones - 1);
    else if (n > 0)
        result = invoke_portal(narrow, n - 1, 0l);
    else
        result = (pages[0][0] = 1) - 1;
    __asm__ volatile("" : "+f"(kept));
    return kept == 3.0 * n + wide_ones ? result : WRONG;
}
static int at(int depth, int wide_ones)
{
    int child = domain_fork(0), status = 0;
    if (child == 0) {
        for (int n = 0; n < NESTED; n++) {
            page_unmap(get_asid(), (void *)pages[n]);
            pager_register(get_asid(), (void *)pages[n], 4096, answer);
        }
        /* In a sandbox each call comes from its controller, and takes a stack. */
        portal_register("app.narrow", "smii", deeper, 0, STACKS);
        portal_register("app.wide", "spii", deeper, 0, 0);
        narrow = portal_open("app.narrow");
        wide = portal_open("app.wide");
        word result = deeper(depth, wide_ones);
        exit(result == -EDEPTH ? TOO_DEEP : result);
    }
    return child < 0 || domain_wait(child, &status) < 0 ? WRONG : status;
}
static int attack(void)
{
    for (int wide_ones = 0; wide_ones < WIDE; wide_ones++) {
        int depth = 24 - 4 * wide_ones, status = 0;
        for (; depth < DEEPEST && status != TOO_DEEP; depth++) {
            status = at(depth, wide_ones);
            wall(1, status <= 0 || status == TOO_DEEP);
        }
        wall(2, status == TOO_DEEP);
    }
    return 0;
}
