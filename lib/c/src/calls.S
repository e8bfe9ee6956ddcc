# Calls that need more than the compiler knows of.

    .text
# word invoke_portal(int portal, ...): the number goes to a7, up to six words move down.
    .globl invoke_portal
invoke_portal:
    mv      a7, a0
    mv      a0, a1
    mv      a1, a2
    mv      a2, a3
    mv      a3, a4
    mv      a4, a5
    mv      a5, a6
    ecall
    ret

    .macro  save_frame
    addi    sp, sp, -112
    sd      ra, 0(sp)
    sd      s0, 8(sp)
    sd      s1, 16(sp)
    sd      s2, 24(sp)
    sd      s3, 32(sp)
    sd      s4, 40(sp)
    sd      s5, 48(sp)
    sd      s6, 56(sp)
    sd      s7, 64(sp)
    sd      s8, 72(sp)
    sd      s9, 80(sp)
    sd      s10, 88(sp)
    sd      s11, 96(sp)
    sd      tp, 104(sp)
    .endm

# int thread_fork(void): the child starts at resume on a copy of what save_frame wrote; a0 = its tp. "fork" is its name in pebble.h.
    .globl fork
    .globl thread_fork
fork:
thread_fork:
    save_frame
    mv      a0, sp
    call    __pebble_fork
    ld      ra, 0(sp)
    addi    sp, sp, 112
    ret
    .globl __pebble_resume_thread
__pebble_resume_thread:
    mv      tp, a0
    j       1f

# int domain_fork(intercept): the child starts at resume on the same stack in its own copy of the memory.
    .globl domain_fork
domain_fork:
    save_frame
    mv      s0, a0
    call    __pebble_before_domain_fork
    mv      a0, s0
    lla     a1, resume_domain
    mv      a2, sp
    li      a7, 18
    ecall
    mv      s0, a0
    call    __pebble_locks_after_copy
    mv      a0, s0
    ld      ra, 0(sp)
    ld      s0, 8(sp)
    addi    sp, sp, 112
    ret
resume_domain:
    ld      tp, 104(sp)
    call    __pebble_locks_in_copy
1:  ld      ra, 0(sp)
    ld      s0, 8(sp)
    ld      s1, 16(sp)
    ld      s2, 24(sp)
    ld      s3, 32(sp)
    ld      s4, 40(sp)
    ld      s5, 48(sp)
    ld      s6, 56(sp)
    ld      s7, 64(sp)
    ld      s8, 72(sp)
    ld      s9, 80(sp)
    ld      s10, 88(sp)
    ld      s11, 96(sp)
    addi    sp, sp, 112
    li      a0, 0
    ret

# void __pebble_call_on(char *top, void (*handler)(int), int signal)
    .globl __pebble_call_on
__pebble_call_on:
    addi    sp, sp, -16
    sd      ra, 0(sp)
    sd      s0, 8(sp)
    mv      s0, sp
    andi    sp, a0, -16
    mv      a0, a2
    jalr    a1
    mv      sp, s0
    ld      ra, 0(sp)
    ld      s0, 8(sp)
    addi    sp, sp, 16
    ret

# A thread of thread_create: a0 = its block (struct thread_start in threads.c).
    .globl __pebble_thread_entry
__pebble_thread_entry:
    ld      tp, 0(a0)
    call    __pebble_thread_main
    unimp

# The shortest calls: nothing but the number.
    .macro  short_call name, number
    .globl  \name
\name:
    li      a7, \number
    ecall
    ret
    .endm
    short_call get_asid, 6
    short_call get_thread, 7
    short_call hrtime, 8
    short_call hrttime, 8
    short_call yield, 4

# P with no time-out, and V: a semaphore's number is that of its P portal, V is the next.
    .globl  sem_wait
sem_wait:
    mv      a7, a0
    li      a0, -1
    ecall
    ret
    .globl  sem_post
sem_post:
    addi    a7, a0, 1
    ecall
    ret
