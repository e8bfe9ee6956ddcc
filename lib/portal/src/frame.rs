//! What a portal's invocation frame holds, and where.

use crate::specification::{Stack, State};
use crate::{Connection, End};
use abi::nucleus::{FLOATING_FRAME, flags, limit};

impl End {
    pub fn trusted(&self) -> bool {
        self.flags & flags::TRUSTED != 0
    }
    pub fn masked(&self) -> bool {
        self.flags & flags::MASKED != 0
    }
    /// It executes in supervisor mode.
    pub fn supervisor(&self) -> bool {
        self.flags & flags::SUPERVISOR != 0
    }
    /// A trusted component of those that the image builder lays out.
    pub fn first(&self) -> bool {
        self.trusted() && self.flags & flags::BOOT != 0
    }
}

/// How the callee gets its stack: what `s` and `n` come to between these two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPlan {
    /// The caller's own: within one domain, or from one trusted component to another.
    Keep,
    /// The thread's service stack: into a trusted component from one that is not.
    Service,
    /// One from the callee's queue.
    Queue,
    /// The only stack of a masked domain.
    Masked,
}

/// The frame of one connection. Offsets are in bytes from the frame's lowest address; 0: not in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlan {
    pub stack: StackPlan,
    pub same_domain: bool,
    /// No floating-point state crosses: neither end may see the other's, or the caller wants its own kept.
    pub floating_barrier: bool,
    /// The caller's stack pointer is in the frame.
    pub save_sp: bool,
    pub tp: u16,
    pub service: u16,
    pub descriptor: u16,
    pub callee_saved: u16,
    /// The callee finds nothing of the caller's or the supervisor's in any register.
    pub hide: bool,
    /// Registers that carry no result are cleared on return.
    pub clear: bool,
    /// Where the words of templates start.
    pub templated: u16,
    /// The lowest offset in the thread's page that the frame may have: [`limit`].
    pub limit: u16,
    /// Bytes.
    pub size: u16,
}

/// The first five words of every frame: `abi::nucleus::Frame`.
const HEAD: u16 = core::mem::size_of::<abi::nucleus::Frame>() as u16;

impl FramePlan {
    /// `templated`: bytes that templates take.
    pub fn new(connection: &Connection, templated: u16) -> FramePlan {
        let Connection { specification: s, caller, callee, .. } = connection;
        let same_domain = caller.table == callee.table;
        let stack = if callee.masked() {
            StackPlan::Masked
        } else if callee.trusted() {
            if caller.trusted() { StackPlan::Keep } else { StackPlan::Service }
        } else if same_domain && s.stack == Stack::Shared {
            StackPlan::Keep
        } else {
            StackPlan::Queue
        };
        let untrusted = !callee.trusted() && !callee.supervisor() && !same_domain;
        // What the caller has in registers, no untrusted component is told or may change.
        let minimal = s.state == State::Minimal && !callee.masked() && !untrusted;
        let mut size = HEAD;
        let mut place = |wanted: bool, words: u16| {
            let at = size;
            if wanted {
                size += 8 * words;
                at
            } else {
                0
            }
        };
        let tp = place(!minimal || callee.supervisor(), 1);
        let service = place(stack == StackPlan::Queue && caller.trusted(), 1);
        let descriptor = place(stack == StackPlan::Queue, 1);
        let callee_saved = place(!minimal, 12);
        let at = size;
        size += templated;
        let floating_barrier = untrusted || (s.state == State::Full && !callee.masked());
        FramePlan {
            stack,
            same_domain,
            floating_barrier,
            save_sp: stack != StackPlan::Keep || !minimal,
            tp,
            service,
            descriptor,
            callee_saved,
            hide: untrusted,
            clear: untrusted || matches!(s.state, State::Partial | State::Full),
            templated: at,
            limit: lowest(caller, callee, floating_barrier),
            size,
        }
    }
}

/// The lowest offset of a frame between two ends; `floating`: floating-point state may go on top of it.
fn lowest(caller: &End, callee: &End, floating: bool) -> u16 {
    if !caller.trusted() || !callee.trusted() {
        // Below it is room for that, too.
        return limit::UNTRUSTED as u16;
    }
    let lowest = if callee.masked() {
        limit::MASKED
    } else if !callee.first() {
        limit::SERVER
    } else if !caller.first() {
        limit::CLIENT
    } else {
        limit::BOOT
    };
    (lowest + if floating { FLOATING_FRAME } else { 0 }) as u16
}
