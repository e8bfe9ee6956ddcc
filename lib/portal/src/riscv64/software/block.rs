//! The host's block of a thread that is in a fault domain: `tp` points to it. The fault domain may read it, and can not write it.

use core::mem::offset_of;

#[repr(C, align(512))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// The host's stack pointer and where it goes on, from when the fault domain was entered.
    pub host_stack: u64,
    pub host_link: u64,
    /// What the dedicated registers hold at the entry.
    pub base: u64,
    pub mask: u64,
    pub jump_mask: u64,
    /// The fault domain's stack pointer at the entry.
    pub stack: u64,
    /// Where it returns to: the jump table's first entry.
    pub back: u64,
    /// Its own, while it is in a call out.
    pub link: u64,
    pub own_stack: u64,
    pub jump: u64,
    /// The host's function that decides about a call: takes the block, returns the result.
    pub decide: u64,
    /// Not 0: it has called to end.
    pub ended: u64,
    /// Where a portal to any entry enters it: an address of its segment, a multiple of 4.
    pub entry: u64,
    /// `a0`…`a5` and `a7` of a call out.
    pub arguments: [u64; 7],
    /// `s0`…`s11` and `fs0`…`fs11` of the host's, those that the fault domain's code can change.
    pub saved: [u64; 12],
    pub floating: [u64; 12],
    /// Where the host goes on behind a call by another fault domain, and that one's exception flags.
    pub caller: u64,
    pub flags: u64,
}
macro_rules! offsets { ($($name:ident = $field:ident;)*) => { $(pub const $name: i32 = offset_of!(Block, $field) as i32;)* } }
offsets! {
    HOST_STACK = host_stack;
    HOST_LINK = host_link;
    BASE = base;
    MASK = mask;
    JUMP_MASK = jump_mask;
    STACK = stack;
    BACK = back;
    LINK = link;
    OWN_STACK = own_stack;
    JUMP = jump;
    DECIDE = decide;
    ENDED = ended;
    ENTRY = entry;
    ARGUMENTS = arguments;
    SAVED = saved;
    FLOATING = floating;
    CALLER = caller;
    FLAGS = flags;
}
