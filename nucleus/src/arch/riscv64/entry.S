# Trap entry. sscratch holds the current thread. Exceptions and ecalls come here alike, so nothing may be clobbered
# before it is known which it is: one register goes to the thread's scratch word. A portal call clobbers what a C call
# clobbers, so for an ecall nothing else needs to be saved.
#
# Out: tp = thread, t1 = the portal's code, t2 = the caller's portal table, sscratch = the caller's tp.

    .section .text.nucleus, "ax"
    .balign 64
    .globl nucleus_trap
nucleus_trap:
    csrrw   tp, sscratch, tp
    sd      t0, {SCRATCH}(tp)
    csrr    t0, scause
    addi    t0, t0, -8              # 8: ecall from U-mode
    bnez    t0, exception
dispatch:
    sltiu   t0, a7, {NPORTALS}
    ld      t2, {TABLE}(tp)
    beqz    t0, nucleus_bad_portal
    slli    t1, a7, 3
    add     t1, t1, t2
    ld      t1, 0(t1)
    jr      t1
