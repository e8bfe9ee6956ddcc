# Interrupts, exceptions, and faults that portal code raises: all registers go to an exception frame on the invocation
# stack, then the portal of the current domain's table for that cause is entered, with a0 = cause, a1 = value,
# a2 = program counter. The frame's way back is nucleus_restore.

# Stores registers at successive words from \at(t0) on.
    .macro  save at, registers:vararg
    .set    offset, \at
    .irp    register, \registers
    sd      \register, offset(t0)
    .set    offset, offset + 8
    .endr
    .endm

# Begins an exception frame, for which there is room (lib/abi: nucleus::limit). t0 is free, its value is in the thread's scratch word; \restore is the way
# back. Leaves t0 = the frame, t2 = the interrupted domain's table; t1 and a0 to a5 are free. `end_exception_frame` does the rest, in between is what takes
# time without memory: a write-through cache takes longer for so many stores in a row. \raised: a call clobbers registers, and nobody is told what they hold.
    .macro  begin_exception_frame restore, raised=0
    ld      t0, {INVOCATION}(tp)
    addi    t0, t0, -{EXCEPTION_FRAME}
    .if \raised
    save    {SAVED_T0}, zero, zero, zero
    .else
    save    {SAVED_T1}, t1, t2
    ld      t1, {SCRATCH}(tp)
    .endif
    ld      t2, {TABLE}(tp)
    save    {SAVED_A0}, a0, a1, a2, a3, a4, a5
    .if \raised == 0
    sd      t1, {SAVED_T0}(t0)
    .endif
    csrr    a4, sepc
    lla     t1, \restore
    sd      t1, 0(t0)
    csrr    t1, sscratch
    sd      a4, {FRAME_PC}(t0)
    sd      t1, {SAVED_TP}(t0)
    .endm
    .macro  end_exception_frame a6=a6
    save    {SAVED_S3}, s3, s4, s5, s6, s7, s8, s9, s10, s11
    save    {SAVED_A6}, \a6, a7
    sd      t0, {INVOCATION}(tp)
    .endm

# Saves everything, and enters the portal for the cause.
    .macro  enter_handler restore
    begin_exception_frame \restore
    csrr    a0, scause
    sd      t2, {FRAME_TABLE}(t0)
    sd      sp, {FRAME_SP}(t0)
    slli    t1, a0, 3               # drops the interrupt bit
    csrr    a1, stval
    sub     t1, t2, t1
    sd      ra, {FRAME_RA}(t0)
    sd      gp, {SAVED_GP}(t0)
    mv      a2, a4
    bltz    a0, 1f
    ld      t1, {FAULT_0}(t1)
    save    {SAVED_T3}, t3, t4, t5, t6, s0, s1, s2
    end_exception_frame
    jr      t1
1:  ld      t1, {INTERRUPT_0}(t1)
    save    {SAVED_T3}, t3, t4, t5, t6, s0, s1, s2
    end_exception_frame
    jr      t1
    .endm

    .globl  nucleus_exception
nucleus_exception: exception:
    csrr    t0, sstatus
    andi    t0, t0, {SPP}
    bnez    t0, in_supervisor
    enter_handler nucleus_restore

# A portal raises fault t0 with value t1, and t3 in place of the program counter, at the caller's ecall.
    .macro  raise restore
    sd      t0, {SCRATCH} + 8(tp)
    sd      t1, {VALUE}(tp)
    sd      t3, {SCRATCH} + 16(tp)
    begin_exception_frame \restore, raised=1
    ld      a0, {SCRATCH} + 8(tp)
    ld      a1, {VALUE}(tp)
    ld      a2, {SCRATCH} + 16(tp)
    sd      t2, {FRAME_TABLE}(t0)
    sd      sp, {FRAME_SP}(t0)
    slli    t1, a0, 3
    sub     t1, t2, t1
    ld      t1, {FAULT_0}(t1)
    sd      ra, {FRAME_RA}(t0)
    sd      gp, {SAVED_GP}(t0)
    save    {SAVED_T3}, zero, zero, zero, zero, s0, s1, s2
    end_exception_frame zero
    jr      t1
    .endm
    .globl  nucleus_raise
nucleus_raise:
    raise   nucleus_restore

# The way back through an exception frame (t0). The handler's result in a0: 0, the interrupted code goes on; an error ends
# the interrupted ecall; an address, the thread goes on there.
    .globl  nucleus_restore
nucleus_restore:
    beqz    a0, 1f
    mv      t1, a0
    bgtz    a0, 2f
    sd      a0, {SAVED_A0}(t0)
    ld      t1, {FRAME_PC}(t0)
    addi    t1, t1, 4
2:  sd      t1, {FRAME_PC}(t0)
1:  ld      t1, {FRAME_PC}(t0)
    ld      t2, {FRAME_TABLE}(t0)
    csrw    sepc, t1
    ld      t1, {SPACE}(t2)
    sd      t2, {TABLE}(tp)
    csrw    satp, t1
    addi    t1, t0, {EXCEPTION_FRAME}
    sd      t1, {INVOCATION}(tp)
    li      t1, {SIE_ON}
    csrw    sie, t1
    csrw    sscratch, tp
    # Others may have run since, and a reservation that one of them has left must not serve this one's store-conditional: neither a trap
    # nor a store of the same hart need end it (unprivileged specification, section 8.2). Whether this one stores does not matter.
    sc.d    t1, zero, (t0)
    ld      sp, {FRAME_SP}(t0)
    ld      ra, {FRAME_RA}(t0)
    .set    offset, {SAVED_T1}
    ld      gp, {SAVED_GP}(t0)
    ld      tp, {SAVED_TP}(t0)
    .irp    register, t1,t2,t3,t4,t5,t6,s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,a0,a1,a2,a3,a4,a5,a6,a7
    ld      \register, offset(t0)
    .set    offset, offset + 8
    .endr
    ld      t0, {SAVED_T0}(t0)
    leave

# A trap from supervisor mode: where interrupts were on, from a supervisor domain (supervisor.S). Else an exception in the nucleus or in
# portal code: a defect. tp is not what it should be, so nothing is saved.
in_supervisor:
    csrr    t0, sstatus
    andi    t0, t0, {SPIE}
    bnez    t0, from_component
    csrr    a0, scause
    csrr    a1, stval
    csrr    a2, sepc
    li      a3, 0
    j       1f
# An exception in a component that the system can not do without.
    .globl  nucleus_fatal
nucleus_fatal:
    ld      a3, {ASID}(t2)
1:  la      sp, last_stack + 2048
    call    nucleus_last_words

    .section .bss.last_stack, "aw", @nobits
    .balign 16
last_stack:
    .skip   2048
    .section .text.nucleus, "ax"
