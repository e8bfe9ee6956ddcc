//! An activation: a handler that runs, on its own stack.

use crate::machine;
use crate::state::{State, Why};
use crate::thread::Thread;
use arch::landing::Landing;
use core::cell::Cell;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// What lies at the top of an activation's stack, whose handler is below it. The thread that is in it writes.
#[repr(C, align(16))]
pub(crate) struct Activation {
    /// First: the handler's stack pointer leads to it.
    pub landing: Landing,
    /// Where its arena begins, and where that ends.
    arena: usize,
    end: usize,
    /// Bytes of it that are in use, in the activation with that number; in any other none are.
    used: Cell<usize>,
    used_in: Cell<u64>,
}
impl Activation {
    /// One of the extension's, whose stack goes down to `bottom`; what is above `arena` and below `end` is its arena.
    pub fn new(extension: &State, bottom: usize, arena: usize, end: usize, floating: bool) -> Activation {
        let home = ptr::from_ref(extension).cast();
        let landing = Landing::new(home, bottom + crate::RESERVE, floating);
        Activation { landing, arena, end, used: Cell::new(0), used_in: Cell::new(0) }
    }
    /// Where what is free of the arena begins.
    fn free(&self) -> usize {
        let call = self.landing.running.load(Relaxed);
        if self.used_in.replace(call) != call {
            self.used.set(0);
        }
        self.arena + self.used.get()
    }
    /// The address of bytes that nobody else has; 0: so many are not left, or `align` is no power of two.
    ///
    /// All of it comes back when the activation ends: an extension keeps nothing from one to the next.
    pub fn allocate(&self, bytes: usize, align: usize) -> usize {
        let start = self.free().checked_next_multiple_of(align).filter(|_| align.is_power_of_two());
        match start.and_then(|start| Some((start, start.checked_add(bytes)?))) {
            Some((start, end)) if end <= self.end => {
                self.used.set(end - self.arena);
                start
            }
            _ => 0,
        }
    }
    /// Takes bytes back, where they were the last to be given: a vector that grows, and what is made and dropped in turn, need no more than they have.
    pub fn release(&self, address: usize, bytes: usize) {
        if address >= self.arena && address.checked_add(bytes) == Some(self.free()) {
            self.used.set(address - self.arena);
        }
    }
    /// Whose it is.
    pub fn extension(&self) -> &State {
        // SAFETY: the extension is there as long as the activation is; its state begins with where this is at home.
        unsafe { &*self.landing.home.cast() }
    }
    /// Notes where it panicked.
    pub fn said(&self, file: &[u8], line: u32) {
        self.extension().say(file, line);
    }
    /// It was taken, and is the next one here.
    pub fn begins(&self) {
        // Nobody else has it.
        let call = self.landing.calls.load(Relaxed) + 1;
        self.landing.calls.store(call, Relaxed);
        self.landing.raised.set(ptr::null());
        self.landing.running.store(call, Relaxed);
    }
    /// Nobody is in it. The extension may be gone when this is back.
    pub fn goes_home(&self) {
        self.landing.running.store(0, Relaxed);
        let other = self.extension().home.free.swap(ptr::from_ref(&self.landing).cast_mut(), AcqRel);
        // SAFETY: while it is neither at home nor idle, it stays.
        if let Some(other) = unsafe { other.as_ref() } {
            other.idle.store(1, Release);
        }
    }
    /// Takes it, where it is idle.
    pub fn was_idle(&self) -> bool {
        self.landing.idle.load(Relaxed) != 0 && self.landing.idle.swap(0, Acquire) != 0
    }
}

/// One that was entered the quick way has ended otherwise than by coming back: the raiser gets the default of the event, whose function this is.
pub(crate) unsafe extern "C" fn ended_quickly(landing: *const Landing, why: usize) -> *const () {
    // SAFETY: the machine has it from the thread, which is in it; all are in activations.
    let activation = unsafe { &*landing.cast::<Activation>() };
    let landing = &activation.landing;
    Thread::own().set_landing(landing.previous.get());
    if let Some(why) = Why::of(why) {
        activation.extension().end(why);
    }
    // SAFETY: events stay.
    let default = unsafe { &*landing.raised.get() }.default;
    activation.goes_home();
    machine::tell();
    default
}

/// The innermost activation that the calling thread is in.
#[inline(always)]
pub(crate) fn own() -> Option<&'static Activation> {
    // SAFETY: a thread's landing is the first that is in an activation, which stays until that ends, and is written by the thread alone.
    Thread::own().landing().map(|landing| unsafe { &*landing.cast::<Activation>() })
}
/// Whether a fault at `pc` is one of the extension that the calling thread is in: then its activation ends. If it has touched `address` below its stack, that is why.
pub(crate) fn is_faulted(address: usize, pc: usize) -> bool {
    let Some(extension) = own().map(Activation::extension).filter(|extension| extension.has(pc)) else { return false };
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
    match Thread::own().landing() {
        // SAFETY: what calls this is called by an extension, in an activation.
        Some(landing) => unsafe { machine::abort(landing, why as usize) },
        None => unreachable!("only extensions come here"),
    }
}
