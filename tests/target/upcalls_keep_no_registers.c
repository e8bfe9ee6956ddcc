// expect stdout 64 portals opened, their numbers right
// expect stdout 16 pages from the pager
// expect stdout all that must hold has held
/* What the portal manager and the memory manager call, a routine told of portals and a pager, leaves other values in every register
   that a callee must keep: nothing that they rely on may be in these. */
#include "include/all_holds.h"

static volatile int told;
word tell(word asid, word portal)
{
    (void)asid, (void)portal;
    told++;
    return 0;
}
static char *const range = (char *)0x18000000;
word page_in(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    return page_map(asid, (void *)(address & -4096), NULL, PAGE_READ | PAGE_WRITE);
}
#define SPOIL(name, routine)                                                                                     \
    __attribute__((naked)) word name(void)                                                                       \
    {                                                                                                            \
        asm("addi sp, sp, -16\n sd ra, 8(sp)\n call " #routine "\n ld ra, 8(sp)\n addi sp, sp, 16\n"             \
            "li s0, -1\n li s1, 1\n li s2, 7\n li s3, 4096\n li s4, -8\n li s5, 0x7fff\n li s6, -4096\n li s7, 3\n" \
            "li s8, 0\n li s9, -2048\n li s10, 99\n li s11, 64\n li gp, -1\n ret");                               \
    }
SPOIL(tell_and_spoil, tell)
SPOIL(page_in_and_spoil, page_in)

int main(void)
{
    int check = portal_open("inspect.check"), first = 0;
    portal_notify((int (*)())tell_and_spoil);
    for (int n = 0; n < 64; n++) {
        int portal = portal_open("clock.time");
        if (n == 0)
            first = portal;
        if (portal != first + n)
            return printf("portal %d, not %d\n", portal, first + n), 1;
    }
    portal_notify(0);
    if (told == 64)
        printf("64 portals opened, their numbers right\n");
    pager_register(get_asid(), range, 16 * 4096, (word (*)(word, word, word, word))page_in_and_spoil);
    long sum = 0;
    for (int n = 0; n < 16; n++)
        range[n * 4096] = n, sum += ((volatile char *)range)[n * 4096];
    if (sum == 120)
        printf("16 pages from the pager\n");
    if (all_holds(check, "at the end"))
        printf("all that must hold has held\n");
    return 0;
}
