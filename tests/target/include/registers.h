/*
 * Both ends of a call that is watched: the caller's stub fills all registers, calls and writes down what it finds; the server's
 * entry point writes down what it gets, has its windows looked at, spoils what it may, and returns.
 *
 * Neither belongs to a thread: one watched call at a time.
 */
#ifndef REGISTERS_H
#define REGISTERS_H
#include <pebble.h>

/* x0 … x31, f0 … f31, fcsr. The stubs know the layout. */
struct registers {
    word x[32];
    unsigned long f[32];
    word fcsr;
};
enum { RA = 1, SP = 2, GP = 3, TP = 4, T0 = 5, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A7 = 17, S2 = 18, S11 = 27, T3 = 28, T4 = 29, T6 = 31 };

/* The caller's: at the call (a0 … a5 the arguments, a7 the portal; sp 0: the stack it is on), and after it. */
struct registers call_with, call_left;
/* Whether it has live floating-point state at the call. */
word call_floating;
/* The server's: at its entry, and what it leaves behind. */
struct registers entered_with, leave_with;
/* What the server's entry point may do with registers: */
enum {
    OWN_THREAD_POINTER = 1, /* it has one, and need not take its domain's */
    SPOIL = 2,              /* sp, tp, ra and callee-saved registers too */
    SPOIL_FLOATING = 4,     /* fs0 … fs11 and fcsr too */
};
word server_may, server_thread_pointer;

void watched_call(void);
void watched_entry(void);
/* What is behind the server's entry point in C: the result of the call. */
word served(void);
/* The byte at an address, or -1: it can not be read. */
int probe_read(const void *address);
/* Writes 0 to a byte; -1: it can not be written. */
int probe_write(void *address);
/* Where an access of theirs goes on that has faulted. */
void probe_failed(void);
/* Answers the domain's faults: those of probes. False: it is another's. */
int is_probe(word pc);

__asm__(
    "    .pushsection .text\n"
    "    .macro all_x what, base, from, to\n"
    "    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    .if \\n >= \\from && \\n <= \\to\n"
    "    \\what x\\n, 8*\\n(\\base)\n"
    "    .endif\n"
    "    .endr\n"
    "    .endm\n"
    "    .macro some_f what, base, numbers:vararg\n"
    "    .irp n, \\numbers\n"
    "    \\what f\\n, 256+8*\\n(\\base)\n"
    "    .endr\n"
    "    .endm\n"
    "    .macro all_f what, base\n"
    "    some_f \\what, \\base, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    .endm\n"
    "    .globl watched_call\n"
    "watched_call:\n"
    "    addi  sp, sp, -128\n"
    "    sd    ra, 0(sp); sd gp, 8(sp); sd tp, 16(sp)\n"
    "    sd    s0, 24(sp); sd s1, 32(sp); sd s2, 40(sp); sd s3, 48(sp); sd s4, 56(sp); sd s5, 64(sp)\n"
    "    sd    s6, 72(sp); sd s7, 80(sp); sd s8, 88(sp); sd s9, 96(sp); sd s10, 104(sp); sd s11, 112(sp)\n"
    "    lla   t0, callers_stack\n"
    "    sd    sp, 0(t0)\n"
    "    lla   t6, call_with\n"
    "    ld    t0, 16(t6)\n"
    "    bnez  t0, 2f\n"
    "    sd    sp, 16(t6)\n"
    "2:  lla   t0, call_floating\n"
    "    ld    t0, 0(t0)\n"
    "    beqz  t0, 1f\n"
    "    all_f fld, t6\n"
    "    ld    t0, 512(t6)\n"
    "    fscsr t0\n"
    "1:  all_x ld, t6, 1, 31\n"
    "    ecall\n"
    "    sd    t0, -16(sp)\n" /* nobody else is on this stack now */
    "    lla   t0, call_left\n"
    "    all_x sd, t0, 1, 31\n"
    "    ld    t1, -16(sp)\n"
    "    sd    t1, 40(t0)\n"
    "    all_f fsd, t0\n"
    "    frcsr t1\n"
    "    sd    t1, 512(t0)\n"
    "    fscsr zero\n"
    "    lla   t0, callers_stack\n"
    "    ld    sp, 0(t0)\n"
    "    ld    ra, 0(sp); ld gp, 8(sp); ld tp, 16(sp)\n"
    "    ld    s0, 24(sp); ld s1, 32(sp); ld s2, 40(sp); ld s3, 48(sp); ld s4, 56(sp); ld s5, 64(sp)\n"
    "    ld    s6, 72(sp); ld s7, 80(sp); ld s8, 88(sp); ld s9, 96(sp); ld s10, 104(sp); ld s11, 112(sp)\n"
    "    addi  sp, sp, 128\n"
    "    ret\n"
    "    .globl watched_entry\n"
    "watched_entry:\n"
    "    sd    t0, -16(sp)\n"
    "    lla   t0, entered_with\n"
    "    all_x sd, t0, 1, 31\n"
    "    ld    t1, -16(sp)\n"
    "    sd    t1, 40(t0)\n"
    "    all_f fsd, t0\n"
    "    frcsr t1\n"
    "    sd    t1, 512(t0)\n"
    "    lla   t0, server_may\n"
    "    ld    t0, 0(t0)\n"
    "    andi  t0, t0, 1\n"
    "    bnez  t0, 1f\n"
    "    lla   t0, server_thread_pointer\n"
    "    ld    tp, 0(t0)\n"
    "1:  call  served\n"
    "    lla   t0, entered_with\n"
    "    ld    ra, 8(t0)\n"
    "    ld    tp, 32(t0)\n"
    "    lla   t1, server_may\n"
    "    ld    t1, 0(t1)\n"
    "    lla   t6, leave_with\n"
    /* What any function may change in floating point. */
    "    some_f fld, t6, 0,1,2,3,4,5,6,7,10,11,12,13,14,15,16,17,28,29,30,31\n"
    "    andi  t2, t1, 4\n"
    "    beqz  t2, 2f\n"
    "    some_f fld, t6, 8,9,18,19,20,21,22,23,24,25,26,27\n"
    "    ld    t2, 512(t6)\n"
    "    fscsr t2\n"
    "2:  andi  t2, t1, 2\n"
    "    bnez  t2, 3f\n"
    "    all_x ld, t6, 5, 7\n"
    "    all_x ld, t6, 11, 17\n"
    "    all_x ld, t6, 28, 31\n"
    "    ret\n"
    "3:  andi  t2, t1, 1\n"
    "    beqz  t2, 4f\n"
    "    ld    gp, 24(t6)\n"
    "4:  all_x ld, t6, 1, 2\n"
    "    all_x ld, t6, 4, 9\n"
    "    all_x ld, t6, 11, 16\n"
    "    all_x ld, t6, 18, 31\n"
    "    li    a7, 0\n"
    "    ecall\n"
    "    .globl probe_read, probe_write, probe_failed\n"
    "probe_read:\n"
    "    lbu   a0, 0(a0)\n"
    "    ret\n"
    "probe_write:\n"
    "    sb    zero, 0(a0)\n"
    "    li    a0, 0\n"
    "    ret\n"
    "probe_failed:\n"
    "    li    a0, -1\n"
    "    ret\n"
    "    .local callers_stack\n"
    "    .comm callers_stack, 8, 8\n"
    "    .popsection\n");

int is_probe(word pc) { return pc == (word)probe_read || pc == (word)probe_write; }
#endif
