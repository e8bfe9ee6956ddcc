//! The dedicated registers.

/// `ra`: what a function returns through.
pub const LINK: u8 = 1;
/// `sp`.
pub const STACK: u8 = 2;
/// `gp`: the segment's base.
pub const BASE: u8 = 3;
/// `tp`: the host's block of the thread.
pub const HOST: u8 = 4;
/// `t4`, with [`Form::Mask`](crate::Form::Mask) only: the segment's size less 1.
pub const MASK: u8 = 29;
/// `t3`, with [`Form::Mask`](crate::Form::Mask) only: the segment's size less 4, which leaves multiples of 4.
pub const JUMP_MASK: u8 = 28;
/// `t5`: what is jumped through.
pub const JUMP: u8 = 30;
/// `t6`: what is stored through.
pub const ADDRESS: u8 = 31;

/// Bytes that the stack pointer may be moved by constants between two accesses through it.
pub const MOST_DRIFT: u32 = 0x8000;
