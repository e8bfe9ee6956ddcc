# Patches (lib/abi: patch): calls that write page-table entries into the caller's tables in place of changing the address space. While one is
# open, the thread's table is open_patch, so that each way out of the callee but a return comes here; a return goes by the portal, which
# closes it itself. Thread's {PATCH} is the patch.

# A portal's: t2 is the caller's table, t6 the callee's. Opens the caller's patch, if it is one for this callee; else changes the address space. A patch
# without pages is opened too: what the callee misses there, it has the next time. Returns to t4; t1, t3, t5 and a6 are written. No fence for what was not there before: a hart that knows a page as missing faults once more,
# in the callee, which then goes on in its own address space.
    .globl  nucleus_patch_open
nucleus_patch_open:
    ld      t5, {DOMAIN_PATCH}(t2)
    beqz    t5, 4f
    ld      t3, {PATCH_CALLEE}(t5)
    ld      t1, {PATCH_END}(t5)
    sd      t5, {PATCH}(tp)
    addi    t5, t5, {PATCH_PAGES}
    bne     t3, t6, 4f
    beq     t1, t5, 2f
1:  ld      t3, {PLACE}(t5)
    ld      a6, {ENTRY}(t5)
    addi    t5, t5, {PATCH_PAGE}
    sd      a6, 0(t3)
    bne     t5, t1, 1b
    fence   w, rw                   # out of the store buffer, which a walk does not see
2:  lla     t3, open_patch
    sd      t3, {TABLE}(tp)
    jr      t4
4:  ld      t3, {SPACE}(t6)
    sd      t6, {TABLE}(tp)
    csrw    satp, t3
    jr      t4

# Clears the entries of the thread's patch. Writes t1, t5, t6 and \free. The fence orders the stores before walks.
    .macro  clear_patch free
    ld      t5, {PATCH}(tp)
    ld      t1, {PATCH_END}(t5)
    ld      t6, {PATCH_ASID}(t5)
    addi    t5, t5, {PATCH_PAGES}
    beq     t5, t1, 2f
1:  ld      \free, {PLACE}(t5)
    sd      zero, 0(\free)
    ld      \free, {ADDRESS}(t5)
    addi    t5, t5, {PATCH_PAGE}
    sfence.vma \free, t6
    bne     t5, t1, 1b
2:
    .endm
# The callee whose call's patch has been closed is in its own address space from here on. Leaves t2 = its table; t1 is written.
    .macro  leave_patch
    ld      t2, {PATCH}(tp)
    ld      t2, {PATCH_CALLEE}(t2)
    sd      t2, {TABLE}(tp)
    ld      t1, {SPACE}(t2)
    csrw    satp, t1
    .endm

# A return portal's: closes the patch, if it is still open. Returns to t4; t1, t5, t6 and a6 are written. The portal changes table and address space.
    .globl  nucleus_patch_close
nucleus_patch_close:
    ld      t1, {TABLE}(tp)
    lla     t5, open_patch
    bne     t1, t5, 3f
    clear_patch a6
3:  jr      t4

# The callee calls: entry of every number. What the call leaves as it is, its caller finds: nothing of the supervisor's.
open_patch_call:
    clear_patch t0
    leave_patch
    li      t5, 0
    li      t6, 0
    j       dispatch

# It is interrupted or faults: entry of every cause, behind the exception frame (t0). All registers are in that; a0 to a2 are the handler's.
open_patch_exception:
    clear_patch t3
    ld      t5, {PATCH}(tp)
    ld      t1, {INDEX}(tp)
    addi    t1, t1, 1
    sd      t1, {PATCH_LEFT}(t5)
    leave_patch
    sd      t2, {FRAME_TABLE}(t0)
    slli    t1, a0, 3
    sub     t1, t2, t1
    bltz    a0, 1f
    ld      t1, {FAULT_0}(t1)
    jr      t1
1:  ld      t1, {INTERRUPT_0}(t1)
    jr      t1

# The table of open patches: what a trap looks up, faults and interrupts 0 to 15; the record is 0, so the domain has no flags.
    .balign 8
    .rept   {NPORTALS}
    .word   open_patch_call
    .endr
    .skip   2048 - 8 * 48
    .rept   48
    .dword  open_patch_exception
    .endr
open_patch:
