# Supervisor domains: components that execute in supervisor mode, in an address space of their own. They run with interrupts on, and
# nothing else in supervisor mode does: so a trap is theirs where SPIE is set. (So do a portal's `jalr` to them and the `csrci`
# behind it, and what is between their jumps here and the first `csrci`: each can be executed again.) sscratch holds the thread while they run, as in user
# mode; SPP is set while a portal that they call has not left them, and in no other code.

    .macro  not_supervisor scratch
    li      \scratch, {SPP}
    csrc    sstatus, \scratch
    .endm

# What `ecall` is to others, which the firmware would get: t5 = where the call returns to, behind a `jal t5`. All is as if an instruction of
# theirs, that `jal`, had trapped, so whoever ends the call, or makes it again, does as always.
    .globl  nucleus_call_supervisor
nucleus_call_supervisor:
    csrci   sstatus, {SIE}
    csrrw   tp, sscratch, tp
    beqz    a7, return_portal
    addi    t5, t5, -4
    csrw    sepc, t5
    li      t0, {SPP} | {SPIE}
    csrs    sstatus, t0
    j       dispatch

# Where the function returns to that a thread started with: as through the return page.
    .globl  nucleus_exit_supervisor
nucleus_exit_supervisor:
    li      a7, 0
    j       nucleus_call_supervisor

from_component:
    not_supervisor t0
    enter_handler nucleus_restore_supervisor

    .globl  nucleus_raise_supervisor
nucleus_raise_supervisor:
    not_supervisor t4
    raise   nucleus_restore_supervisor

# Returns to supervisor mode with interrupts on, unless the domain has died since and the frame (t0) leads to the graveyard.
    .macro  returns_to_mode
    ld      t2, {FRAME_TABLE}(t0)
    ld      t1, {FLAGS}(t2)
    andi    t1, t1, {SPP}           # the flag is the bit
    ori     t1, t1, {SPIE}
    csrs    sstatus, t1
    .endm
    .globl  nucleus_restore_supervisor
nucleus_restore_supervisor:
    returns_to_mode
    j       nucleus_restore
    .globl  nucleus_start_supervisor
nucleus_start_supervisor:
    returns_to_mode
    j       nucleus_start
