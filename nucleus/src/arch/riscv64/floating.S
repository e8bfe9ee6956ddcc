# Floating-point state. FS is Off until a thread's first floating-point instruction, which is illegal then and comes to
# nucleus_illegal; from there on it is Dirty, so that SD in sstatus says whether there is live state. The state is the
# thread's in the domain that it executes in: portals to and from untrusting sides let none of it cross, and the thread
# switch saves and loads it.

    .macro  each_floating instruction, base, start
    .set    offset, \start
    .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \instruction f\n, offset(\base)
    .set    offset, offset + 8
    .endr
    .endm
    .option push
    .option arch, +f, +d

# The portal for illegal instructions, after the exception frame was pushed (t2 = table).
    .globl  nucleus_illegal
nucleus_illegal:
    csrr    t0, sstatus
    li      t1, {FS}
    and     t0, t0, t1
    bnez    t0, 1f                  # floating point was on: it is really illegal
    csrs    sstatus, t1
    csrr    t0, sstatus
    and     t0, t0, t1
    beqz    t0, 1f                  # it stays off: the hart has no floating point
    .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fmv.d.x f\n, zero
    .endr
    fscsr   zero
    li      a0, 0
    j       nucleus_return_portal
1:  ld      t1, {ILLEGAL}(t2)
    jr      t1

# Parts of the thread switch: the old thread is tp, the new one t0 (later tp).
save_floating:
    each_floating fsd, tp, {FLOATING}
    frcsr   t1
    sd      t1, {FLOATING} + {FCSR}(tp)
    li      t1, 1
    sd      t1, {FLOATING_SAVED}(tp)
    li      t1, {FS}
    csrc    sstatus, t1
    j       switched
load_floating:
    sd      zero, {FLOATING_SAVED}(tp)
    li      t1, {FS}
    csrs    sstatus, t1
    each_floating fld, tp, {FLOATING}
    ld      t1, {FLOATING} + {FCSR}(tp)
    fscsr   t1
    j       switched_floating

# Called by portal code, which has live state that must not cross: puts it on the invocation stack. Returns to t4;
# clobbers t1 and t3.
    .globl  nucleus_floating_push
nucleus_floating_push:
    ld      t3, {INVOCATION}(tp)
    addi    t3, t3, -{FLOATING_FRAME}
    lla     t1, nucleus_floating_return
    sd      t1, 0(t3)
    each_floating fsd, t3, 8
    frcsr   t1
    sd      t1, 8 + {FCSR}(t3)
    sd      t3, {INVOCATION}(tp)
    li      t1, {FS}
    csrc    sstatus, t1
    jr      t4

# Returns through such a frame (t0): the state of the portal's caller is back, so the portal's own return must skip its
# first four instructions, which would throw it away.
    .globl  nucleus_floating_return
nucleus_floating_return:
    li      t3, {FS}
    csrs    sstatus, t3
    each_floating fld, t0, 8
    ld      t3, 8 + {FCSR}(t0)
    fscsr   t3
    addi    t0, t0, {FLOATING_FRAME}
    sd      t0, {INVOCATION}(tp)
    ld      t1, 0(t0)
    ld      t2, {FRAME_TABLE}(t0)
    ld      t3, {FRAME_PC}(t0)
    jr      16(t1)
    .option pop
