/*
 * A component that executes in supervisor mode (systems "supervised" and "supervised-touch"), for tests/hostile: it does what a broken one would. What its
 * callers, their callers and their neighbours have must come out right.
 */
#include <pebble.h>

enum { PAGE = 4096, PATTERN = 0x5afe };

/* Returns with no register as it was, but for the address that it returns to. */
__attribute__((naked)) static word registers(void)
{
    __asm__("li s0, -1; li s1, -1; li s2, -1; li s3, -1; li s4, -1; li s5, -1; li s6, -1; li s7, -1; li s8, -1; li s9, -1\n"
            "li s10, -1; li s11, -1; li gp, -1; li tp, -1; li sp, -1; li t0, -1; li t1, -1; li t2, -1; li t3, -1; li t4, -1\n"
            "li t5, -1; li t6, -1; li a1, -1; li a2, -1; li a3, -1; li a4, -1; li a5, -1; li a6, -1; li a7, -1; li a0, 7; ret");
}
/* Calls a portal of somebody who is not trusted, with a pattern in all registers that are not to cross; 0: its own are as they were, but for
   those that a call may change. */
static word own_portal(const char *name)
{
    char copy[NAMELEN];
    strncpy(copy, name, sizeof copy);
    return portal_open(copy);
}
static word keeps(const char *name)
{
    int portal = own_portal(name);
    register word number __asm__("a7") = portal;
    register word result __asm__("a0") = 1;
    word wrong, stack;
    __asm__ volatile("mv t0, sp\n\taddi sp, sp, -128\n\tsd tp, 0(sp)\n\tsd gp, 8(sp)\n\tsd t0, 16(sp)\n\tsd s0, 24(sp)\n\tsd s1, 32(sp)\n\tmv s1, sp\n\t"
                     "li s2, 0x5afe02\n\tli s3, 0x5afe03\n\tli s4, 0x5afe04\n\tli s5, 0x5afe05\n\tli s6, 0x5afe06\n\tli s7, 0x5afe07\n\t"
                     "li s8, 0x5afe08\n\tli s9, 0x5afe09\n\tli s10, 0x5afe0a\n\tli s11, 0x5afe0b\n\tli s0, 0x5afe00\n\tli t0, 0x5afe10\n\tli t1, 0x5afe11\n\t"
                     "li t2, 0x5afe12\n\tli t3, 0x5afe13\n\tli t4, 0x5afe14\n\tli t6, 0x5afe16\n\tli a2, 0x5afe22\n\tli a3, 0x5afe23\n\tli a4, 0x5afe24\n\t"
                     "li a5, 0x5afe25\n\tli a6, 0x5afe26\n\tecall\n\t"
                     "xor t0, sp, s1\n\tmv sp, s1\n\tli t1, 0x5afe00\n\txor t1, t1, s0\n\tor t0, t0, t1\n\t"
                     "li t1, 0x5afe02\n\txor t1, t1, s2\n\tor t0, t0, t1\n\tli t1, 0x5afe03\n\txor t1, t1, s3\n\tor t0, t0, t1\n\t"
                     "li t1, 0x5afe04\n\txor t1, t1, s4\n\tor t0, t0, t1\n\tli t1, 0x5afe05\n\txor t1, t1, s5\n\tor t0, t0, t1\n\t"
                     "li t1, 0x5afe06\n\txor t1, t1, s6\n\tor t0, t0, t1\n\tli t1, 0x5afe07\n\txor t1, t1, s7\n\tor t0, t0, t1\n\t"
                     "li t1, 0x5afe08\n\txor t1, t1, s8\n\tor t0, t0, t1\n\tli t1, 0x5afe09\n\txor t1, t1, s9\n\tor t0, t0, t1\n\t"
                     "li t1, 0x5afe0a\n\txor t1, t1, s10\n\tor t0, t0, t1\n\tli t1, 0x5afe0b\n\txor t1, t1, s11\n\tor t0, t0, t1\n\t"
                     "ld t1, 0(sp)\n\txor t1, t1, tp\n\tor t0, t0, t1\n\tld tp, 0(sp)\n\tld gp, 8(sp)\n\tld s0, 24(sp)\n\tld s1, 32(sp)\n\tld %1, 16(sp)\n\t"
                     "mv %0, t0\n\taddi sp, sp, 128\n\tsub %1, %1, sp"
                     : "=&r"(wrong), "=&r"(stack), "+r"(result), "+r"(number)
                     :
                     : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
                       "s10", "s11", "memory");
    portal_close(portal);
    return result < 0 ? result : (wrong != 0 || stack != 0);
}

static word recurse(volatile word *above)
{
    volatile word here[100];
    here[0] = (word)above;
    return here[0] ? recurse(here) + here[0] : 0;
}
static volatile char *kept;
enum { LOADS_NOTHING, STORES_CODE, JUMPS_NOWHERE, JUMPS_TO_THE_RETURN_PAGE, JUMPS_TO_DATA, BREAKS, ILLEGAL, RECURSES, LOADS_A_CLOSED_WINDOW, EXITS, ENDS_THE_THREAD, WAITS, LOOPS, SLEEPS };
/* Goes wrong, each time in one of these ways. */
static word fails(word way, word argument)
{
    static word data[4] = {0x0000806700000013};
    switch (way) {
    case LOADS_NOTHING: return *(volatile word *)8;
    case STORES_CODE: return *(volatile word *)(void *)fails = 1;
    case JUMPS_NOWHERE: return ((word(*)(void))0x7fff0000)();
    case JUMPS_TO_THE_RETURN_PAGE: return ((word(*)(void))argument)();
    case JUMPS_TO_DATA: return ((word(*)(void))data)();
    case BREAKS: __asm__ volatile("ebreak"); return 0;
    case ILLEGAL: __asm__ volatile(".word 0"); return 0;
    case RECURSES: return recurse((volatile word *)data);
    case LOADS_A_CLOSED_WINDOW: return kept ? *kept : *(volatile word *)8;
    case EXITS: exit(3);
    case ENDS_THE_THREAD: thread_exit();
    case WAITS: return sem_wait(sem_create(0));
    case LOOPS: for (;;) __asm__ volatile("");
    case SLEEPS: hrsleep(argument); return 0;
    }
    return -EINVAL;
}
/* Its window is shown to another, and written while it is. */
static word lends(char *window, const char *name, word way)
{
    int portal = own_portal(name);
    window[0]++;
    word result = invoke_portal(portal, window, way);
    portal_close(portal);
    if (way >= 0 && result >= 0)
        return fails(way, 0);
    window[0]++;
    kept = window;
    return result;
}
/* Calls another, which calls here, until no more is left; how often. */
static word nests(const char *name, word depth)
{
    int portal = own_portal(name);
    word here[32];
    for (int n = 0; n < 32; n++)
        here[n] = depth * 32 + n;
    word result = portal < 0 ? portal : invoke_portal(portal, depth + 1);
    if (portal >= 0)
        portal_close(portal);
    for (int n = 0; n < 32; n++)
        if (here[n] != depth * 32 + n)
            return -EIO;
    return result;
}
/* Floating-point state, over a call of another and time slices of others. */
static word floats(const char *name, word seed)
{
    int portal = own_portal(name);
    double values[8], sum = 0;
    for (int n = 0; n < 8; n++)
        values[n] = seed + n / 8.0;
    for (int round = 0; round < 4; round++) {
        double before = values[0] * values[1] + values[2];
        invoke_portal(portal, seed);
        double after = values[0] * values[1] + values[2];
        sum += after - before;
    }
    portal_close(portal);
    return sum == 0 ? 0 : -EIO;
}

static _Alignas(PAGE) char pages[4][PAGE];
static int answered;
static word answer(word asid, word cause, word address, word pc)
{
    (void)cause, (void)pc;
    answered++;
    return page_map(asid, (void *)(address & -PAGE), pages[1], PAGE_READ | PAGE_WRITE);
}
/* Answers its own faults: what comes there is a copy, and of its own mode. */
static word answers(word at)
{
    volatile char *range = (volatile char *)at;
    answered = 0;
    pages[1][0] = 'p';
    if (pager_register(get_asid(), (void *)range, 4 * PAGE, answer) < 0)
        return -1;
    int wrong = range[0] != 'p' || range[2 * PAGE] != 'p';
    range[0] = 'q';
    wrong += pages[1][0] != 'p' || answered != 2;
    page_unmap(get_asid(), (void *)range);
    wrong += range[0] != 'p' || answered != 3;
    pager_unregister(get_asid(), (void *)range);
    page_unmap(get_asid(), (void *)range);
    page_unmap(get_asid(), (void *)(range + 2 * PAGE));
    return wrong;
}
static word never(void) { return 0; }
/* What there is not for it, and what nobody has; which was granted. */
static word asks(void)
{
    static const word outside[] = {0, 8, 0x7ffff000, 0x1000000000, 0x4000000000, (word)0xffffffff80200000, (word)0xffffffc000000000, -PAGE, -1};
    static char name[NAMELEN] = "app.inside";
    if (domain_fork(0) >= 0)
        return 1;
    if (dp_create("part") >= 0)
        return 2;
    for (const char *const *spec = (const char *const[]){"nmSi", "nm>i", "nm<i", 0}; *spec; spec++)
        if (portal_register(name, *spec, never, NULL, 0) >= 0) {
            int opened = portal_open(name);
            portal_unregister(name);
            if (opened >= 0)
                return 3;
        }
    int write = portal_open("console.write");
    for (unsigned n = 0; n < sizeof outside / sizeof *outside; n++) {
        if (invoke_portal(write, outside[n], 1l) >= 0)
            return 10 + n;
        if (invoke_portal(13, outside[n]) >= 0)
            return 30 + n;
        if (invoke_portal(29, (word)get_asid(), outside[n] & -PAGE, (word)pages[0], 3l) >= 0 && (outside[n] & -PAGE) != 0)
            return 50 + n;
    }
    for (int number = 1; number < 4096; number += number < 512 ? 512 : 1000)
        if (number >= 512 && pebble_call0(number) != -EPORTAL)
            return 70;
    if (pebble_call0(-1) != -EPORTAL || pebble_call0(1ul << 63) != -EPORTAL)
        return 71;
    return 0;
}

int main(void)
{
    portal_register("inside.registers", "np", registers, NULL, 2);
    portal_register("inside.keeps", "npr", keeps, NULL, 2);
    portal_register("inside.fails", "npii", fails, NULL, 4);
    portal_register("inside.lends", "npwri", lends, NULL, 4);
    portal_register("inside.nests", "npri", nests, NULL, 16);
    portal_register("inside.floats", "npri", floats, NULL, 2);
    portal_register("inside.answers", "npi", answers, NULL, 2);
    portal_register("inside.asks", "np", asks, NULL, 1);
    sem_wait(sem_create(0));
}
