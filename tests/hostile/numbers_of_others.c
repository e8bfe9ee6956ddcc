/* Domains are named by numbers that anybody can guess: naming another's gives no right to end it, to wait for it, to answer its
   faults, to map a page into it, or to put a portal into its table. */
#include "include/hostile.h"

static word answer(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return 0;
}
static int attack(void)
{
    static _Alignas(4096) char page[4096];
    int status, answers = 0, maps = 0;
    for (int asid = -1; asid <= 600; asid++) {
        wall(1, domain_kill(asid) < 0);
        wall(2, domain_wait(asid, &status) < 0);
        /* Its own it may, but in a sandbox it does not know its number: get_asid is the controller's there. */
        answers += pager_register(asid, page, sizeof page, answer) == 0;
        maps += page_map(asid, page, NULL, PAGE_READ | PAGE_WRITE) == 0;
        /* Above the rights the system has a word of its own: that who asks may. */
        wall(6, page_map(asid, page, NULL, PAGE_READ | 1 << 8) < 0 && page_map(asid, page, NULL, 1 << 8) < 0);
        wall(3, portal_create_child(asid, SYS_EXIT, "sm", 0, answer) < 0);
    }
    wall(4, answers == 1);
    wall(5, maps == 1);
    return 0;
}
