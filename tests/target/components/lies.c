/* A server that does what it can to get out of its fault domain by its portals. */
#include <pebble.h>

/* What a function must keep, and where its stack was: none of it is as it was. */
__attribute__((naked)) static word registers(void)
{
    __asm__("li s0, -1; li s1, -1; li s2, -1; li s3, -1; li s4, -1; li s5, -1; li s6, -1; li s7, -1; li s8, -1; li s9, -1\n"
            "li s10, -1; li s11, -1; li t0, 0x12345670; mv sp, t0; li a0, 7; ret");
}
/* A window that is for reading, from its first byte to the end of its page. */
static word writes_what_it_reads(char *in)
{
    memset(in, '!', 4096 - (uintptr_t)in % 4096);
    return 1;
}
/* Behind the length that it was given, and before it. */
static word writes_beside(char *out, word length)
{
    memset(out - 8, '!', length + 16);
    return length;
}
static word nothing(void) { return 0; }

/* Of so many requests that are the host's, none may be granted. */
static word requests(void)
{
    static const word outside[] = {0, 0x10000, 0x3f000, 0x40000, 0x17fe0000, 0x18000000, 0x1bff0000, 0x1bffffc0, 0x1c000000, 0x1d000000, 0x3fef0000, -4096,
                                   0x1000000000, 0x11c0000000, 0x11fffe0000, 0x1200000000, 0x123fff0000, 0x123fffffc0, 0x1240000000, 0x12ffffff00, 0x1400000000, 0x3fbffe0000, 0x3fc0000000, 0x3fffff0000, 0x3fffffffc0, 0x4000000000, -0x40000000};
    int granted = 0;
    for (size_t n = 0; n < sizeof outside / sizeof *outside; n++) {
        word at = outside[n];
        granted += invoke_portal(11, at) >= 0;              /* register what stands there */
        granted += invoke_portal(30, at) >= 0;              /* grant it */
        granted += invoke_portal(13, at) >= 0;              /* open the name there */
        granted += invoke_portal(12, at) >= 0;              /* withdraw it */
        granted += invoke_portal(37, at, 0l, 0l) >= 0;      /* admit to it */
        granted += invoke_portal(33, 0l, at) >= 0;          /* write there who calls */
        granted += portal_register("lies.outside", "np", (word(*)())at, NULL, 0) >= 0;
    }
    /* No linker says this. */
    static word (*volatile half)(void) = nothing;
    granted += portal_register("lies.half", "np", (word(*)())((word)half + 2), NULL, 0) >= 0;
    granted += portal_register("lies.pages", "np>i", nothing, NULL, 0) >= 0;
    granted += portal_register("lies.stacks", "np", nothing, NULL, 64) >= 0;
    /* A thread at the host's code, on the host's stack, in the middle of an instruction. */
    granted += invoke_portal(3, 0x40000l, (word)__builtin_frame_address(0), 0l, -1l) >= 0;
    granted += invoke_portal(3, (word)nothing, 0x3fef0000l, 0l, -1l) >= 0;
    granted += invoke_portal(3, (word)half + 2, (word)__builtin_frame_address(0), 0l, -1l) >= 0;
    granted += invoke_portal(15, 0l) >= 0 || invoke_portal(16, (word)nothing) >= 0 || invoke_portal(28, 0l, 0l, 0l, (word)nothing) >= 0;
    return granted;
}
/* More entry points than the host has: those that are there stay. */
static word many(void)
{
    char name[NAMELEN];
    int registered = 0;
    for (int n = 0; n < 200; n++) {
        snprintf(name, sizeof name, "lies.many.%d", n);
        registered += portal_register(name, "np", (word(*)())((word)nothing + 4 * n), NULL, 0) >= 0;
        portal_unregister(name);
    }
    return registered;
}
/* The jump table's entries, its data and its stack as entry points. */
static word strange(word which)
{
    static word data;
    word at = (word)&data, segment = at >> 37 ? 0x3fc0000000 : at >> 32 ? 0x1200000000 : 0x18000000;
    word entries[] = {segment + 0x10000, segment + 0x10004, (word)&data & -4, (word)__builtin_frame_address(0) & -4};
    return portal_register("lies.strange", "np", (word(*)())entries[which], NULL, 0);
}
int main(void)
{
    portal_register("lies.registers", "nm", registers, 0, 2);
    portal_register("lies.reads", "npr", writes_what_it_reads, 0, 0);
    portal_register("lies.beside", "npWi", writes_beside, 0, 0);
    portal_register("lies.requests", "np", requests, 0, 0);
    portal_register("lies.many", "np", many, 0, 0);
    portal_register("lies.make", "npi", strange, 0, 0);
    thread_exit();
}
