# The machine's firmware: the smallest that can stand below a system in supervisor mode. It enters the image as OpenSBI
# does (a0 = hart, a1 = device tree), answers the calls that Pebble makes of the SBI (legacy console and shutdown, TIME),
# hands the timer's interrupt on, and reads `time` for the hart, which has no such register. Everything else goes to
# supervisor mode at once.

    .equ    IMAGE, 0x80200000
    .equ    TIMER_COMPARE, 0x2004000        # CLINT
    .equ    TIME, 0x200bff8
    .equ    SERIAL, 0x10000000              # 16550
    .equ    POWER, 0x100000                 # SiFive's test device
    .equ    SBI_TIME, 0x54494D45
    .equ    SBI_PUT, 1
    .equ    SBI_SHUTDOWN, 8
    .equ    NOT_SUPPORTED, -2
    .equ    MACHINE_TIMER, 1 << 7           # in mie
    .equ    SUPERVISOR_TIMER, 1 << 5        # in mip
    .equ    RDTIME, 0xc0102073              # csrrs x0, time, x0
    .equ    MPP, 0x1800
    .equ    MPP_S, 0x0800
    .equ    SPP, 0x100
    .equ    SPIE, 0x20
    .equ    SIE, 2

    .option norelax                         # what lies at a fixed place stays there
    .section .text.reset, "ax"
    .globl  reset
reset:
    la      t0, trap + 1                    # vectored: exceptions to trap, its own timer's interrupt to trap + 4 * 7
    csrw    mtvec, t0
    li      t0, -1                          # all memory for all modes: one entry, NAPOT, RWX
    csrw    pmpaddr0, t0
    li      t0, 0x1f
    csrw    pmpcfg0, t0
    li      t0, 0xb1fb                      # to supervisor mode: all exceptions but illegal instructions and its own ecall
    csrw    medeleg, t0
    li      t0, 0x222                       # and its own interrupts
    csrw    mideleg, t0
    li      t0, 7                           # cycle, time, instret
    csrw    mcounteren, t0
    li      t0, -1                          # no timer interrupt until one is asked for
    li      t1, TIMER_COMPARE
    sd      t0, 0(t1)
    csrw    mie, zero
    li      t0, MPP
    csrc    mstatus, t0
    li      t0, MPP_S
    csrs    mstatus, t0
    li      t0, IMAGE
    csrw    mepc, t0
    csrr    a0, mhartid
    ld      a1, device_tree                 # whoever loads the image puts the address there
    mret
    j       .                               # keeps fetch from running into the next cache line

    .balign 8
device_tree = reset + 0xf8

# Between a trap and its end t0 is in mscratch and t1 in mtval, which says in return what instruction was illegal. So no
# memory is touched but the devices', and nothing waits for it.
    .org    reset + 0x100
trap:
    csrw    mscratch, t0
    csrrw   t1, mtval, t1
    lui     t0, RDTIME >> 12
    addiw   t0, t0, RDTIME & 0xfff
    subw    t1, t1, t0                      # rdtime to register n: n * 128. Anything else: another number
    j       exception

# The machine's timer: off until it is set again, and the supervisor's is pending.
    .org    trap + 4 * 7
timer:
    csrw    mscratch, t0
    li      t0, MACHINE_TIMER
    csrc    mie, t0
    li      t0, SUPERVISOR_TIMER
    csrs    mip, t0
    csrr    t0, mscratch
    mret
    j       .

exception:
    andi    t0, t1, 127
    bnez    t0, not_time
    srliw   t0, t1, 12
    bnez    t0, not_time
# rdtime: to the move to its register, while the time is on its way.
    srli    t1, t1, 7 - 3
    lla     t0, moves
    add     t1, t1, t0
    lui     t0, %hi(TIME)
    ld      t0, %lo(TIME)(t0)
    jr      t1
moves:
    j       step                            # x0
    nop
    .irp    register, x1,x2,x3,x4
    mv      \register, t0
    j       step
    .endr
    csrw    mscratch, t0                    # t0
    j       step
    csrw    mtval, t0                       # t1
    j       step
    .irp    register, x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17,x18,x19,x20,x21,x22,x23,x24,x25,x26,x27,x28,x29,x30,x31
    mv      \register, t0
    j       step
    .endr

not_time:
    csrr    t0, mcause
    addi    t0, t0, -9
    beqz    t0, call
    addi    t0, t0, 9 - 2
    beqz    t0, hand_on

# Neither delegated nor known: stops the machine with status 1.
    li      t0, POWER
    li      t1, 0x13333
    sw      t1, 0(t0)
1:  j       1b

# ecall from supervisor mode. a0 and a1 may be changed, nothing else.
call:
    li      t0, SBI_TIME
    bne     a7, t0, other_call
    li      t0, TIMER_COMPARE
    sd      a0, 0(t0)
    li      t0, SUPERVISOR_TIMER
    csrc    mip, t0
    li      a0, 0
    li      a1, 0
    li      t0, MACHINE_TIMER
    csrs    mie, t0
step:                                       # goes on behind the instruction that trapped
    csrr    t0, mepc
    csrr    t1, mtval
    addi    t0, t0, 4
    csrw    mepc, t0
    csrr    t0, mscratch
    mret
    j       .

other_call:
    addi    t0, a7, -SBI_PUT
    beqz    t0, put
    addi    t0, a7, -SBI_SHUTDOWN
    beqz    t0, shutdown
    li      a0, NOT_SUPPORTED
    li      a1, 0
    j       step

put:
    li      t0, SERIAL
1:  lbu     t1, 5(t0)                       # line status
    andi    t1, t1, 0x20                    # transmitter empty
    beqz    t1, 1b
    sb      a0, 0(t0)
    li      a0, 0
    j       step                            # a legacy call: a1 stays

shutdown:
    li      t0, POWER
    li      t1, 0x5555
    sw      t1, 0(t0)
1:  j       1b

# Truly illegal: the trap is entered again, in supervisor mode (privileged specification, section 3.1.6.1).
hand_on:
    lui     t0, RDTIME >> 12
    addiw   t0, t0, RDTIME & 0xfff
    addw    t0, t0, t1
    slli    t0, t0, 32
    srli    t0, t0, 32
    csrw    stval, t0
    csrr    t0, mcause
    csrw    scause, t0
    csrr    t0, mepc
    csrw    sepc, t0
    csrr    t0, stvec
    csrw    mepc, t0
    csrr    t0, mstatus
    srli    t1, t0, 3                       # MPP's low bit to SPP
    andi    t1, t1, SPP
    andi    t0, t0, SIE
    slli    t0, t0, 4                       # SIE to SPIE
    or      t0, t0, t1
    li      t1, MPP | SPP | SPIE | SIE
    csrc    mstatus, t1
    li      t1, MPP_S
    or      t0, t0, t1
    csrs    mstatus, t0
    csrr    t0, mscratch
    csrr    t1, mtval
    mret
    j       .
