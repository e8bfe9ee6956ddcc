/*
 * An access that may fault without ending its domain: `touch` gives what is there, or -1 where whoever answers for the address (`not_there`,
 * registered as a handler) had the thread go on behind the access.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <pebble.h>

extern char behind_the_access[];
static __attribute__((noinline)) long touch(volatile void *at)
{
    register long value __asm__("a0") = (long)at;
    __asm__ volatile("ld a0, 0(a0)\n j 1f\n .globl behind_the_access\nbehind_the_access: li a0, -1\n1:" : "+r"(value) : : "memory");
    return value;
}
static inline word not_there(word asid, word cause, word address, word pc)
{
    (void)asid, (void)cause, (void)address, (void)pc;
    return (word)behind_the_access;
}
#endif
