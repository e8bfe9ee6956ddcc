//! An activation: a handler that runs, on its own stack.

use crate::machine;
use crate::state::{State, Why};
use crate::thread::Thread;
use core::cell::Cell;

/// What lies at the top of an activation's stack, whose handler is below it. The thread that is in it writes.
#[repr(C, align(16))]
pub(crate) struct Activation {
    /// First: the handler's stack pointer leads to it.
    pub landing: machine::Landing,
    pub extension: *const State,
    /// Where what is free of its arena begins, and where that ends.
    pub free: Cell<usize>,
    pub end: usize,
}
impl Activation {
    /// The address of bytes that nobody else has; 0: so many are not left, or `align` is no power of two.
    ///
    /// All of it comes back when the activation ends: an extension keeps nothing from one to the next.
    pub fn allocate(&self, bytes: usize, align: usize) -> usize {
        let start = self.free.get().checked_next_multiple_of(align).filter(|_| align.is_power_of_two());
        match start.and_then(|start| Some((start, start.checked_add(bytes)?))) {
            Some((start, end)) if end <= self.end => {
                self.free.set(end);
                start
            }
            _ => 0,
        }
    }
    /// Takes bytes back, where they were the last to be given: a vector that grows, and what is made and dropped in turn, need no more than they have.
    pub fn release(&self, address: usize, bytes: usize) {
        if address.checked_add(bytes) == Some(self.free.get()) {
            self.free.set(address);
        }
    }
    /// Notes where it panicked.
    pub fn said(&self, file: &[u8], line: u32) {
        // SAFETY: the extension is there as long as the activation is.
        unsafe { &*self.extension }.say(file, line);
    }
}

/// The innermost activation that the calling thread is in.
#[inline(always)]
pub(crate) fn own() -> Option<&'static Activation> {
    // SAFETY: a thread's landing is the first that is in an activation, which stays until that ends, and is written by the thread alone.
    unsafe { Thread::own().landing().cast::<Activation>().as_ref() }
}
/// Whether a fault at `pc` is one of the extension that the calling thread is in: then its activation ends. If it has touched `address` below its stack, that is why.
pub(crate) fn is_faulted(address: usize, pc: usize) -> bool {
    // SAFETY: the extension is there as long as the activation is.
    let extension = own().map(|activation| unsafe { &*activation.extension });
    let Some(extension) = extension.filter(|extension| extension.has(pc)) else { return false };
    if extension.ends_a_stack(address) {
        extension.end(Why::Stack);
    }
    true
}
/// The rest of a host's procedure, when its arguments have been looked at.
#[inline(never)]
pub fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}
/// An extension has passed what is none of its type's values: its activation ends.
#[cold]
pub fn wrong() -> ! {
    end(Why::Argument)
}
/// Ends the activation that the calling thread is in, at the door of a procedure.
#[cold]
pub(crate) fn end(why: Why) -> ! {
    // SAFETY: what calls this is called by an extension, in an activation.
    unsafe { machine::abort(Thread::own().landing(), why as usize) }
}
