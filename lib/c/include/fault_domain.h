/*
 * A software fault domain of this program's (the book, "Software fault domains"): code that nobody trusts in this program's address space, kept
 * in its segment by its own instructions, which are verified when it is loaded. A call of one of its functions is a few instructions and no trap.
 *
 * The program that hosts it names the library `fault_domain`, has one fault domain, and calls it from one thread. Every other way in which it may go
 * wrong is the fault domain's own: it may return what it likes, and it may not return, so a host that can not wait calls from a thread that others
 * do not need.
 *
 * The fault domain is a program too, built with --isolation sfi: what its main() offers can be called when main() is over.
 */
#ifndef FAULT_DOMAIN_H
#define FAULT_DOMAIN_H

#include <pebble.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FAULT_DOMAIN_ENTRIES = 16 };

/* In the fault domain: ends main(), and offers functions of up to six words, at most FAULT_DOMAIN_ENTRIES. */
struct fault_domain_offer {
    uint64_t count;
    void *entries[FAULT_DOMAIN_ENTRIES];
};
static inline void __attribute__((noreturn)) fault_domain_offer(const struct fault_domain_offer *offer)
{
    for (;;)
        pebble_call1(SYS_EXIT, (word)offer);
}
/* The same of a program that is nothing but its functions: without main(), and without what a C program does before it. What a call has to
   save is then what the functions change, and not what the C library does. */
#define FAULT_DOMAIN(...)                                                                                              \
    void __attribute__((noreturn, section(".text.start"))) _start(void)                                                \
    {                                                                                                                  \
        static const struct fault_domain_offer offer = {sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), {__VA_ARGS__}}; \
        fault_domain_offer(&offer);                                                                                    \
    }

/* In the host, before it loads: which of the portals that the host may open the fault domain may open, from the next load on: names, or their beginnings with a *, as
   `opens` of a manifest, with spaces between them. None, unless that is said: no console, no files. -ENOMEM; -EEXIST as below. */
int fault_domain_opens(const char *names);
/* In the host: verifies the program in `bytes` bytes at `program`, lays it out in the place of the one before, and runs its main(). `loads`: its
   loads must be kept in too. `shared`: bytes of memory that both can write, where `*memory` points to from then on: arguments that the fault domain
   may change lie there, and, where its loads are kept in, all. What it writes there may change as long as it is called.
   -EINVAL: it is no such program, its code was refused, or there is no room for what is shared; -EEXIST: the host has mapped something in its
   segment (pages from 0x17fe0000 to 0x1c010000); -EDEAD: a fault in main(); -ENOMEM. */
int fault_domain_load(const void *program, size_t bytes, int loads, size_t shared, void **memory);
/* Why the last load failed: the address and the rule where code was refused. */
const char *fault_domain_why(void);
/* Whether a fault has ended it, and which: each call answers -EDEAD until it is loaded again. */
struct fault_domain_stop {
    uint64_t cause, address, pc;
};
int fault_domain_stopped(struct fault_domain_stop *stop);

/* What a call needs: lib/c/host has the same. */
struct fault_domain_entrance {
    void *block;
    uint64_t count, portals[FAULT_DOMAIN_ENTRIES];
};
extern struct fault_domain_entrance __fault_domain;

/* Calls function `n` of those that it offers, from 0. -EDEAD: a fault has ended it, now or before, or none was loaded; -ENOENT: it offers no
   such function. */
static inline word fault_domain_call(uint64_t n, word a, word b, word c, word d, word e, word f)
{
    if (n >= __fault_domain.count)
        return __fault_domain.count ? -ENOENT : -EDEAD;
    register word a0 __asm__("a0") = a;
    register word a1 __asm__("a1") = b;
    register word a2 __asm__("a2") = c;
    register word a3 __asm__("a3") = d;
    register word a4 __asm__("a4") = e;
    register word a5 __asm__("a5") = f;
    register uint64_t portal __asm__("a6") = __fault_domain.portals[n];
    register void *block __asm__("a7") = __fault_domain.block;
    /* tp leads to this thread's variables, and to the block while the fault domain has the thread; s1 is kept. */
    __asm__ volatile("mv s1, tp\n\tmv tp, a7\n\tjalr ra, 0(a6)\n\tmv tp, s1"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(portal), "+r"(block)
                     :
                     : "ra", "s1", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7",
                       "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "memory");
    if (a0 == -EDEAD && fault_domain_stopped(NULL))
        __fault_domain.count = 0;
    return a0;
}

#ifdef __cplusplus
}
#endif
#endif
