//! The nucleus's data: thread pages, domain blocks, invocation frames.
//!
//! All of it lies in the supervisor half. The image builder writes the first ones, the portal manager the rest; the
//! nucleus and portal code read them by the offsets below. All pointers in them are supervisor addresses.

/// Most threads at one time; a thread index is below it. Index 0 is nobody's.
pub const MAX_THREADS: usize = 2048;
/// Priorities are 0 to 63; a higher number runs first.
pub const PRIORITIES: usize = 64;
// Each has its windows and its service stack between what lies there.
const _: () = {
    assert!(crate::address::window_base(MAX_THREADS) <= 0x8000_0000);
    assert!(crate::address::service_top(MAX_THREADS) <= crate::address::MEMORY_VIEW);
};
/// A thread's id is a multiple of this and its index; an id is no other thread's for a long time.
pub const THREAD_IDS: usize = 4096;
/// Most domains at one time; an ASID is below it. ASID 0 is nobody's.
pub const MAX_DOMAINS: usize = 512;
/// Semaphores that there can be, and one. The lower part of a semaphore's id is its index, which is below it.
pub const MAX_SEMAPHORES: usize = 2048;
/// Entries of a portal table that a component can call; entry 0 is "return".
pub const NPORTALS: usize = 512;
pub use crate::lengths::NAMELEN;

/// A thread: the lower part of its own page. The invocation stack fills the page from its end downwards.
#[repr(C)]
pub struct Thread {
    /// Top frame of the invocation stack.
    pub invocation: u64,
    /// Portal table of the domain the thread executes in; it identifies the domain.
    pub table: u64,
    /// Where the service stack goes on when a trusted server is entered from an untrusted side.
    pub service: u64,
    /// Address of the next free window slot.
    pub window: u64,
    /// `t0`, `t1`, `t2` of the interrupted code, from trap entry to the portal that saves them.
    pub scratch: [u64; 3],
    /// What a portal passes to a fault portal it raises: the "faulting" value.
    pub value: u64,
    /// The thread's index: place in the thread table.
    pub index: u64,
    /// Home domain's portal table: where the thread was created. Where calls are counted, the graveyard's from the end of its home on:
    /// the thread switch adds what the thread has run to its home's counters.
    pub home: u64,
    /// What was shared or moved for each two arguments of a call that is not made yet: the request, and the address at which the callee
    /// has the pages. Request 0: nothing.
    pub transfers: [[u64; 2]; TRANSFERS],
    /// Whose call that is and to whom: the identities of caller and callee.
    pub transfer_ends: [[u64; 2]; TRANSFERS],
    /// 1: one of `transfers` may be in use. A call that can not be made has them undone before it ends or waits for a stack.
    pub transferring: u64,
    /// A [`StackDescriptor`] that only this thread takes, when the queue of the domain whose table its first word is has none; or 0.
    pub reserve: u64,
    /// Where windows are mapped at the first access, for each slot: its entry with the callee's ASID from bit 54 on; when it is
    /// mapped, the supervisor address of its place; 0: not in use.
    pub slots: [u64; crate::address::WINDOW_SLOTS],
    /// Supervisor address of the patch that is open while `table` is the table of open patches ([`crate::patch`]).
    pub patch: u64,
    /// 1 when `floating` holds the thread's floating-point state.
    pub floating_saved: u64,
    /// `f0`…`f31`, `fcsr`.
    pub floating: [u64; 33],
}
/// Most transfers of a call: each has two of its arguments, an address and a length.
pub const TRANSFERS: usize = 3;
/// How far down a thread's page calls may push: the lowest offset of a call's frame, by who calls whom. What lies below is kept
/// for what can come on top of the call without its limit being asked again, so that an exception's frame always has its place
/// and those who answer it can make their own calls. The proof is in the book, "How deep calls go"; `./pebble check` computes what
/// is needed.
pub mod limit {
    use super::{EXCEPTION_FRAME, FLOATING_FRAME, Thread};

    /// An end of the call is not trusted. A power of two, of which one bit of the frame's address is looked at.
    pub const UNTRUSTED: usize = 2048;
    /// The lowest top of the stack while untrusted code runs: live floating-point state goes on top of the call's frame.
    pub const UNTRUSTED_TOP: usize = UNTRUSTED - FLOATING_FRAME;
    /// From a trusted component into one that does not belong to the first components: it has room to ask these.
    pub const SERVER: usize = CLIENT + 128;
    /// From such a component into one of the first ones, which have room to do what is asked, and to end the caller after a fault.
    pub const CLIENT: usize = BOOT + EXCEPTION_FRAME + 200;
    /// From one of the first components into another. One exception of its own fits on top, and an interrupt of the answer to that.
    pub const BOOT: usize = size_of::<Thread>() + 2 * EXCEPTION_FRAME;
    /// From a trusted component into one that runs with interrupts off: nothing comes on top.
    pub const MASKED: usize = size_of::<Thread>();

    const _: () =
        assert!(SERVER <= UNTRUSTED && BOOT + EXCEPTION_FRAME <= CLIENT && BOOT + EXCEPTION_FRAME <= UNTRUSTED_TOP);
}

/// A domain block is a page: its portal table in the first half, the record and the fixed entries in the second. A domain is named by the
/// address of its block's end (`table`), so every offset here is negative. Where calls are counted, the counters are a second page.
pub mod domain {
    /// Pages of a domain block.
    pub const PAGES: usize = 1;
    /// The same with counters or without.
    pub const fn pages(counters: bool) -> usize {
        PAGES + counters as usize
    }
    /// Offset of the page of counters in the block.
    pub const COUNTED: usize = PAGES * crate::address::PAGE;
    /// Offset in the block of what names the domain.
    pub const TABLE: usize = PAGES * crate::address::PAGE;
    /// Offset of the portal table's entry for number 0, "return", which a trap does not look up. From here on downwards each number has an
    /// entry of four bytes: the lower half of the address of a portal's code, which the sign extends. The constant is as far as a load
    /// reaches.
    pub const ENTRIES: i32 = -2048;
    /// Offset of the entry for portal `number` (below [`super::NPORTALS`]).
    pub const fn entry(number: usize) -> i32 {
        ENTRIES - 4 * number as i32
    }
    const _: () = assert!(entry(super::NPORTALS - 1) + TABLE as i32 >= 0);
    /// Offset of the portal for fault `number`: below 16 the hart's exception cause, else one of [`super::fault`].
    pub const fn fault(number: usize) -> i32 {
        -8 * (1 + number as i32)
    }
    /// Offset of the portal for interrupt `cause`.
    pub const fn interrupt(cause: usize) -> i32 {
        -8 * (33 + cause as i32)
    }
    /// What the processor is told to use the address space.
    pub const SPACE: i32 = -392;
    /// The domain's number.
    pub const ASID: i32 = -400;
    /// Supervisor address of the root page table.
    pub const ROOT: i32 = -408;
    /// First free [`super::StackDescriptor`], or 0.
    pub const STACKS: i32 = -416;
    /// Threads that wait for a stack, and reserves that have been taken: as many returns do more than to put their stack back.
    pub const STACK_WAITERS: i32 = -424;
    /// `sp` at every entry, in a domain that runs with interrupts off.
    pub const MASKED_STACK: i32 = -432;
    /// `tp` of entries on a queued stack.
    pub const TP: i32 = -440;
    /// Table address of the domain that interposes, or 0.
    pub const PARENT: i32 = -448;
    /// [`super::flags`].
    pub const FLAGS: i32 = -456;
    /// The domain's identity ([`crate::identity::DomainId`]): no other has had it or will.
    pub const IDENTITY: i32 = -464;
    /// Pages that were lent last, [`LENT_PAGES`] of them, each in the place that its page number's lowest bits say: the
    /// page number (0: none) and its page-table entry. All are forgotten when the domain is kept from lending.
    pub const LENT: i32 = IDENTITY - 16 * LENT_PAGES;
    pub const LENT_PAGES: i32 = 16;
    /// Supervisor addresses of the last-level tables of the domain's window slots that were found so far, or 0.
    pub const WINDOW_TABLES: i32 = LENT - 8 * ((super::MAX_THREADS * crate::address::WINDOW_STRIDE) >> 21) as i32;
    /// Supervisor address of the middle of the domain's counters ([`crate::count`]); 0 in a system that counts nothing.
    pub const COUNTERS: i32 = WINDOW_TABLES - 8;
    /// Reserves ([`super::Thread::reserve`]) that calls have used, so that they go into the queue, and that are not taken out of it again.
    pub const RESERVES: i32 = COUNTERS - 8;
    /// Supervisor address of the domain's [`crate::patch::Patch`], or 0.
    pub const PATCH: i32 = RESERVES - 8;
    /// Lowest field of the record.
    pub const RECORD: i32 = PATCH;
    /// Offset of what neither nucleus nor portals use between table and record, but in the graveyard's block, where the windows of the dead
    /// are closed to here: for what is as small as a stack descriptor and lives as long as the domain.
    pub const SPARE: i32 = ENTRIES + 16;
    /// Bytes there.
    pub const SPARE_BYTES: usize = (RECORD - SPARE) as usize / 16 * 16;
    const _: () = assert!(SPARE_BYTES >= 8 * crate::address::WINDOW_SLOTS);
}
/// Properties of a domain (`domain::FLAGS`).
pub mod flags {
    /// Service stacks are visible; `s` portals enter it on one.
    pub const TRUSTED: u64 = 1;
    /// Runs with interrupts off, on its one stack.
    pub const MASKED: u64 = 2;
    /// An empty stack queue grows instead of making callers wait: a domain that interposes or is notified.
    pub const ELASTIC: u64 = 4;
    /// One of the first components, which the image builder lays out: it ends with the system only.
    pub const BOOT: u64 = 8;
    /// Executes in supervisor mode. The bit of `sstatus` that says so of what is returned to: a return adds it as it is.
    pub const SUPERVISOR: u64 = 0x100;
    /// Of a domain of protection: its calls to its task may patch its table instead of changing the address space ([`crate::patch`]).
    pub const PATCHES: u64 = 0x200;
    /// The same, where that costs less.
    pub const CHEAPEST: u64 = 0x400;
    /// Each entry of a thread from another domain has the thread's index in `tp`, in place of [`super::domain::TP`]. Of a domain that is not
    /// trusted: one that is keeps its caller's.
    pub const NAMED: u64 = 0x800;
}
/// Faults that portal code raises itself (the custom causes 24 to 31 of the privileged specification). The
/// interrupted "instruction" is the caller's `ecall`: it is executed again if the handler returns 0, and ends with the
/// handler's result otherwise.
pub mod fault {
    /// The callee's stack queue is empty: its identity stands in place of the program counter. Goes to the portal manager.
    pub const NO_STACK: usize = 24;
    /// A stack went back to a queue that has one more than its own: the callee's identity stands in place of the program counter. Goes to
    /// the portal manager.
    pub const RESERVE_FREE: usize = 25;
    /// A window can not be opened on the caller's page, or the callee has no table for the slot: value is the
    /// caller's address, and the callee's identity stands in place of the program counter. Goes to the memory manager.
    pub const WINDOW: usize = 26;
    /// The same for a window that the callee may write.
    pub const WINDOW_WRITE: usize = 27;
    /// A stack went back to a queue that threads wait for: the callee's number stands in place of the program counter. Goes to the
    /// scheduler.
    pub const STACK_FREE: usize = 28;
    /// A call is to share or move pages, or its return is: value is the request, and the other side's identity stands in place of
    /// the program counter. Value 0: the call can not be made, or not yet; what was shared or moved for it comes back. Goes to the
    /// memory manager.
    pub const TRANSFER: usize = 29;
    /// Code of a registered template asks its server: in place of the program counter stands the callee's identity, and from bit
    /// [`TEMPLATE`] on the template's number. Goes to the portal manager.
    pub const ARGUMENT: usize = 30;
    /// See [`ARGUMENT`].
    pub const TEMPLATE: u32 = crate::identity::BITS;
    const _: () = assert!(crate::template::TEMPLATES <= 1 << (u64::BITS - TEMPLATE));
}
/// Why the waits of a thread end early (`scheduler.cancel`); bits.
pub mod cancelled {
    /// A domain that it is to return to is dead: until it has come past there.
    pub const FOR_THE_DEAD: usize = 1;
    /// Its own domain has said so, for good.
    pub const FOR_GOOD: usize = 2;
}
/// A stack of a domain's queue.
#[repr(C)]
pub struct StackDescriptor {
    /// Next in the queue, or 0; while it is a thread's reserve, the domain's table.
    pub next: u64,
    /// Initial stack pointer.
    pub sp: u64,
}

/// An invocation frame, at increasing addresses from the stack's top. What follows the first five words depends on the
/// portal; its size is in the portal block's header.
#[repr(C)]
pub struct Frame {
    /// Code that returns through this frame.
    pub portal: u64,
    /// The caller's portal table.
    pub table: u64,
    /// Where the caller goes on.
    pub pc: u64,
    pub sp: u64,
    pub ra: u64,
}
/// In [`Frame::portal`], the address that its call returns through: whoever looks after calls has seen this one. Jumps through a register leave the lowest bit of where they go out (`jalr`), so no return has an
/// instruction more for it.
pub const MARK: u64 = 1;

/// Bytes of the frame that a thread starts with: a [`Frame`] and the value for `a0`.
pub const START_FRAME: usize = 48;
/// Bytes of a thread's bottom frame.
pub const FIRST_FRAME: usize = 48;
/// Bytes of an exception frame: a [`Frame`], then the registers in [`saved`].
pub const EXCEPTION_FRAME: usize = saved::A6 + 8 * 2;
/// Where an exception frame has registers: `gp`, `tp`, `t0`…`t6`, `s0`…`s11`, `a0`…`a7`. Those without a name follow the one before.
pub mod saved {
    pub const GP: usize = size_of::<super::Frame>();
    pub const TP: usize = GP + 8;
    pub const T0: usize = TP + 8;
    pub const T1: usize = T0 + 8;
    pub const T3: usize = T1 + 8 * 2;
    /// Behind `t3`…`t6`, `s0`…`s2`.
    pub const S3: usize = T3 + 8 * 7;
    /// Behind `s3`…`s11`.
    pub const A0: usize = S3 + 8 * 9;
    pub const A6: usize = A0 + 8 * 6;
}
/// Bytes of a frame of floating-point state: its portal and `f0`…`f31`, `fcsr`.
pub const FLOATING_FRAME: usize = 8 + FCSR + 8;
/// Where `fcsr` is behind `f0`.
pub const FCSR: usize = 32 * 8;

/// Words before a portal's code: `[MAGIC, code words, frame bytes, return offset in bytes]`.
pub const BLOCK_HEADER: usize = 16;
/// First header word of a portal block.
pub const BLOCK_MAGIC: u32 = 0x7274_6f50;
