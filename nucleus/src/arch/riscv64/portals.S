# The portals that the nucleus provides: the defaults, the thread switch, and short-circuit portals. All are entered as
# any portal is (see entry.S).

    .globl  nucleus_complete
nucleus_complete:
    complete_for_all t3, t4, t5, t6, a6

# The thread switch: goes on with thread a0, whose call returns a1. The scheduler's; masked, so its own stack is just left.
    .globl  nucleus_switch
nucleus_switch:
switch:
    lui     t0, {BOOT_PAGE}
    ld      t0, {THREAD_TABLE}(t0)
    srli    t1, a0, {THREADS_LOG2}
    bnez    t1, bad_thread
    slli    a0, a0, 2
    add     t0, t0, a0
    lw      t0, 0(t0)               # sign-extended: a supervisor address
    beqz    t0, bad_thread
    csrr    t1, sstatus
    bltz    t1, save_floating       # SD: the old thread has live floating-point state
switched:
    mv      tp, t0
    ld      t1, {FLOATING_SAVED}(tp)
    bnez    t1, load_floating
switched_floating:
    mv      a0, a1

    ld      t0, {INVOCATION}(tp)
    ld      t1, 0(t0)
    ld      t2, {FRAME_TABLE}(t0)
    ld      t3, {FRAME_PC}(t0)
    jr      t1

bad_thread:
    li      a0, -{EINVAL}
    complete

# The bottom frame of every thread returns by calling "exit" of the domain it is in; it is never popped.
    .globl  nucleus_first_frame
nucleus_first_frame:
    li      a7, {THREAD_EXIT}
    j       dispatch

# The frame (t0) through which a new thread starts.
    .globl  nucleus_start
nucleus_start:
    ld      t1, {FRAME_PC}(t0)
    ld      t2, {FRAME_TABLE}(t0)
    csrw    sepc, t1
    ld      t1, {SPACE}(t2)
    sd      t2, {TABLE}(tp)
    csrw    satp, t1
    ld      sp, {FRAME_SP}(t0)
    ld      ra, {FRAME_RA}(t0)
    ld      a0, {FRAME}(t0)
    addi    t0, t0, {START_FRAME}
    sd      t0, {INVOCATION}(tp)
    li      t1, {SIE_ON}
    csrw    sie, t1
    csrw    sscratch, tp
    ld      tp, {INDEX}(tp)         # for who names locks' holders by it
    .irp    register, gp,t0,t1,t2,t3,t4,t5,t6,s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,a1,a2,a3,a4,a5,a6,a7
    li      \register, 0
    .endr
    leave

# Short-circuit portals of every domain. Each begins a cache line, so that leaving in one takes no more instructions.
    .balign 16
    .globl  nucleus_asid
nucleus_asid:
    ld      a0, {ASID}(t2)
    complete_for_all

    .balign 16
    .globl  nucleus_thread
nucleus_thread:
    ld      a0, {INDEX}(tp)
    complete_for_all

# High-resolution time: a tick is two cycles.
    .balign 16
    .globl  nucleus_hrtime
nucleus_hrtime:
    rdcycle a0
    srli    a0, a0, 1
    complete_for_all

# The idle thread's: wfi is illegal in U-mode. It ends when an interrupt is pending, which is taken behind the sret.
    .globl  nucleus_idle
nucleus_idle:
    wfi
    complete_for_all

# The scheduler's: the timer interrupts at time a0, by stimecmp (CSR 0x14D) or the SBI. Then the switch to thread a1, whose
# call returns a2; 0: the caller goes on.
    .balign 16
    .globl  nucleus_timer_set
nucleus_timer_set:
    lui     t0, {BOOT_PAGE}
    ld      t0, {SSTC}(t0)
    beqz    t0, by_firmware
    csrw    0x14D, a0
    mv      a0, a1
    mv      a1, a2
    bnez    a0, switch
    complete
by_firmware:
    mv      t1, a1
    li      a6, 0
    li      a7, {SBI_TIME}
    ecall
    mv      a0, t1
    mv      a1, a2
    bnez    t1, switch
    complete

# The portal manager's: makes code that was written visible to fetch.
    .globl  nucleus_code_sync
nucleus_code_sync:
    fence.i
    complete

# The portal manager's: interrupts off (a0 = 1) or on.
    .globl  nucleus_interrupts_mask
nucleus_interrupts_mask:
    li      t0, {SIE_ON}
    beqz    a0, 1f
    li      t0, 0
1:  csrw    sie, t0
    li      a0, 0
    complete

# The memory manager's: forgets translations of address a0 in address space a1, or all of address space a0.
    .globl  nucleus_tlb_flush
nucleus_tlb_flush:
    sfence.vma a0, a1
    complete

    .globl  nucleus_tlb_flush_asid
nucleus_tlb_flush_asid:
    sfence.vma zero, a0
    complete
