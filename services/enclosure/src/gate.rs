//! How the host's thread enters the fault domain, and comes back: by its return, by a call that ends it, or by a fault.

use core::arch::global_asm;
use core::mem::offset_of;
use enclosure_logic::block::Block;

unsafe extern "C" {
    /// Calls `entry` in the fault domain with `argument`; its result. All registers that a C function keeps are as before, whatever the
    /// fault domain does to them.
    pub safe fn enter(block: &mut Block, entry: u64, argument: u64) -> i64;
    /// Where the fault domain's stubs go on, on the stack that it was entered on.
    pub safe fn left();
    /// Where the thread goes on when the fault domain has faulted: only `tp` is what it should be.
    pub safe fn unwind();
}

global_asm!(
    "   .globl  enter, left, unwind",
    "enter:",
    "   addi    sp, sp, -208",
    "   sd      ra, 0(sp)",
    "   sd      tp, 8(sp)",
    "   sd      s0, 16(sp)",
    "   sd      s1, 24(sp)",
    "   sd      s2, 32(sp)",
    "   sd      s3, 40(sp)",
    "   sd      s4, 48(sp)",
    "   sd      s5, 56(sp)",
    "   sd      s6, 64(sp)",
    "   sd      s7, 72(sp)",
    "   sd      s8, 80(sp)",
    "   sd      s9, 88(sp)",
    "   sd      s10, 96(sp)",
    "   sd      s11, 104(sp)",
    "   fsd     fs0, 112(sp)",
    "   fsd     fs1, 120(sp)",
    "   fsd     fs2, 128(sp)",
    "   fsd     fs3, 136(sp)",
    "   fsd     fs4, 144(sp)",
    "   fsd     fs5, 152(sp)",
    "   fsd     fs6, 160(sp)",
    "   fsd     fs7, 168(sp)",
    "   fsd     fs8, 176(sp)",
    "   fsd     fs9, 184(sp)",
    "   fsd     fs10, 192(sp)",
    "   fsd     fs11, 200(sp)",
    "   mv      tp, a0",
    "   sd      sp, {host_stack}(tp)",
    "   mv      t0, a1",
    "   mv      a0, a2",
    "   ld      gp, {base}(tp)",
    "   ld      t4, {mask}(tp)",
    "   mv      t5, gp",
    "   mv      t6, gp",
    "   ld      ra, {back}(tp)",
    "   ld      sp, {stack}(tp)",
    "   jr      t0",
    "unwind:",
    "   ld      sp, {host_stack}(tp)",
    "   li      a0, -{dead}",
    "left:",
    "   ld      ra, 0(sp)",
    "   ld      tp, 8(sp)",
    "   ld      s0, 16(sp)",
    "   ld      s1, 24(sp)",
    "   ld      s2, 32(sp)",
    "   ld      s3, 40(sp)",
    "   ld      s4, 48(sp)",
    "   ld      s5, 56(sp)",
    "   ld      s6, 64(sp)",
    "   ld      s7, 72(sp)",
    "   ld      s8, 80(sp)",
    "   ld      s9, 88(sp)",
    "   ld      s10, 96(sp)",
    "   ld      s11, 104(sp)",
    "   fld     fs0, 112(sp)",
    "   fld     fs1, 120(sp)",
    "   fld     fs2, 128(sp)",
    "   fld     fs3, 136(sp)",
    "   fld     fs4, 144(sp)",
    "   fld     fs5, 152(sp)",
    "   fld     fs6, 160(sp)",
    "   fld     fs7, 168(sp)",
    "   fld     fs8, 176(sp)",
    "   fld     fs9, 184(sp)",
    "   fld     fs10, 192(sp)",
    "   fld     fs11, 200(sp)",
    "   addi    sp, sp, 208",
    "   ret",
    host_stack = const offset_of!(Block, host_stack),
    base = const offset_of!(Block, base),
    mask = const offset_of!(Block, mask),
    back = const offset_of!(Block, back),
    stack = const offset_of!(Block, stack),
    dead = const abi::Error::EDEAD as u16,
);

/// What was written as data is executed from here on.
pub fn instructions_have_changed() {
    // SAFETY: orders this hart's instruction fetches behind its stores.
    unsafe { core::arch::asm!("fence.i") };
}
