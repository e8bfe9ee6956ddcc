# Trap entry. sscratch holds the current thread. Exceptions and ecalls come here alike, so nothing may be clobbered
# before it is known which it is: one register goes to the thread's scratch word. A portal call clobbers what a C call
# clobbers, so for an ecall nothing else needs to be saved. Number 0 is "return" in every table, and is not looked up: so
# the jump through the table is only for calls, and where one call is made again and again it is predicted.
#
# Out: tp = thread, t0 = top of the invocation stack, t1 = the portal's code, t2 = the caller's portal table, sscratch = the
# caller's tp. Instructions are in the order that an in-order core does not wait for loads in.

# Goes to user mode. The jump behind sret stops fetch from running into the next cache line, which is never executed and so never in the
# cache: fetch would wait for it each time. Both are in one line of 16 bytes, or the jump would be in that line itself.
    .macro  leave
    .p2align 4, , 5
    sret
    j       .
    .endm
# Ends the caller's ecall with a0; a trusted caller's, for what the entry has put in t0 to t2 stays there.
    .macro  complete
    csrr    t0, sepc
    addi    t0, t0, 4
    csrw    sepc, t0
    csrrw   tp, sscratch, tp
    leave
    .endm
# The same for every caller: nothing of the supervisor's is in t0 to t2, or in \more.
    .macro  complete_for_all more:vararg
    csrr    t1, sepc
    addi    t1, t1, 4
    csrw    sepc, t1
    .irp    register, t0, t2, \more
    .ifnb   \register
    li      \register, 0
    .endif
    .endr
    csrrw   tp, sscratch, tp
    leave
    .endm

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
    beqz    a7, return_portal
    ld      t2, {TABLE}(tp)
    sltiu   t0, a7, {NPORTALS}
    slli    t1, a7, 2
    sub     t1, t2, t1
    beqz    t0, bad_portal
    lw      t1, {ENTRIES}(t1)
    ld      t0, {INVOCATION}(tp)
    jr      t1

# Returns through the top frame of the invocation stack. Entry 0 of every table. What the return portal begins with is
# loaded here, while t1 is on its way.
    .globl  nucleus_return_portal
nucleus_return_portal:
return_portal:
    ld      t0, {INVOCATION}(tp)
    ld      t1, 0(t0)
    ld      t2, {FRAME_TABLE}(t0)
    ld      t3, {FRAME_PC}(t0)
    jr      t1

# Entry of every number that is not open.
    .globl  nucleus_bad_portal
nucleus_bad_portal:
bad_portal:
    ld      t1, {TRANSFERRING}(tp)
    bnez    t1, 1f
    li      a0, -{EPORTAL}
    complete_for_all
1:  li      t0, {TRANSFER}          # a portal that was closed in the middle of a call: pages come back first
    li      t1, 0
raise_from_portal:
    ld      t4, {TABLE}(tp)
    ld      t4, {FLAGS}(t4)
    andi    t4, t4, {SPP}           # the flag is the bit
    bnez    t4, nucleus_raise_supervisor
    j       nucleus_raise

# A call finds no stack in its callee's (t6) queue: it is made again with the thread's reserve there, if that is one of this callee's. There is one
# stack more in the queue then, until a return that is told to look takes one out again.
    .globl  nucleus_no_stack
nucleus_no_stack:
    ld      t3, {RESERVE}(tp)
    beqz    t3, 1f
    ld      t4, 0(t3)
    bne     t4, t6, 1f
    ld      t4, {STACK_WAITERS}(t6)
    sd      zero, {RESERVE}(tp)
    sd      zero, 0(t3)
    addi    t4, t4, 1
    sd      t3, {STACKS}(t6)
    sd      t4, {STACK_WAITERS}(t6)
    ld      t4, {RESERVES}(t6)
    addi    t4, t4, 1
    sd      t4, {RESERVES}(t6)
    j       dispatch

# A call into a callee (t6) that has ended: it is made again when another has taken its place. No reserve of the dead is anybody's to take.
    .globl  nucleus_parked
nucleus_parked:
1:  li      t0, {NO_STACK}
    ld      t3, {IDENTITY}(t6)
    j       raise_from_portal

# A stack went back to the queue of the callee (t6), which threads wait for, or which has one too many.
    .globl  nucleus_stack_free
nucleus_stack_free:
    ld      t1, {RESERVES}(t6)
    li      t0, {STACK_FREE}
    ld      t3, {ASID}(t6)
    beqz    t1, raise_from_portal
    li      t0, {RESERVE_FREE}
    ld      t3, {IDENTITY}(t6)
    j       raise_from_portal
