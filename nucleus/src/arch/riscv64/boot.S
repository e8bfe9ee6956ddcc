# Boot. The firmware comes here in S-mode, with address translation off, a0 = hart, a1 = device tree. The image builder
# has laid everything out: all that is left is to turn translation on and to enter the first thread, the idle thread,
# through its start frame. Its first act is to start the scheduler.

    .section .text.boot, "ax"
    .globl nucleus_boot
nucleus_boot:
    mv      s1, a1
    li      a0, {MARK}              # what came before was the firmware's
    li      a7, {SBI_PUT}
    ecall
    li      a0, -1                  # no timer interrupt until the scheduler asks for one
    li      a6, 0
    li      a7, {SBI_TIME}
    ecall
    li      t0, {BOOT_INFO}
    sd      s1, {DEVICE_TREE}(t0)   # for the memory manager
    ld      t1, {BOOT_SPACE}(t0)
    # The next fetch after the write to satp faults, for these physical addresses are not mapped; stvec is where the
    # same code is: at physical + 0xFFFFFFFF40000000.
    lla     t2, 1f
    li      t3, 0xFFFFFFFF40000000
    add     t2, t2, t3
    csrw    stvec, t2
    sfence.vma
    csrw    satp, t1
    nop
    .balign 4
1:  lla     t0, nucleus_trap
    csrw    stvec, t0
    csrw    sie, zero
    li      t0, 7                   # cycle, time, instret
    csrw    scounteren, t0
    li      t0, {SSTATUS_OFF}
    csrc    sstatus, t0
    lui     t0, {BOOT_PAGE}
    ld      tp, {BOOT_THREAD}(t0)
    j       nucleus_return_portal
