//! The machine: stacks, pages, threads.

use crate::wake::{WAKE, WATCHING, wake};
use abi::Error;
use abi::address::PAGE;
use abi::rights::Rights;
use abi::system;
use alloc::alloc::{alloc, dealloc};
pub use arch::activation::{abort, activate};
pub use arch::choosing::{comparison, reader};
pub use arch::text::has_floating_point;
use core::alloc::Layout;
use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};
use core::sync::atomic::compiler_fence;
pub use pebble::page::Page;
pub use pebble::sync::Mutex;
use pebble::{check, portal, thread};

/// Units of the time register.
pub const MICROSECOND: u64 = pebble::time::TIMEBASE / 1_000_000;
/// The number of the calling thread.
#[inline(always)]
pub fn thread() -> usize {
    arch::component::thread_register()
}
/// Lets others come on.
pub fn wait() {
    /// Ticks of `hrtime`: a tenth of a millisecond.
    const TURN: usize = 50_000;
    portal::call(system::SLEEP, [TURN]);
}
/// An extension has ended.
pub fn tell() {
    wake();
}
/// An activation begins: its time is looked at. Who finds that nobody does says so, as often as he finds it: one that was interrupted before the keeper heard of it keeps nobody from it.
#[inline(always)]
pub fn begun() {
    // Whoever looks after this finds it.
    compiler_fence(SeqCst);
    if !WATCHING.load(Relaxed) {
        wake();
    }
}
/// Whether there is a keeper, and threads are known by their numbers.
pub fn is_kept() -> bool {
    WAKE.load(Relaxed) != 0
}
/// Whether activations are looked at.
pub fn is_watching() -> bool {
    WATCHING.load(SeqCst)
}
pub fn watches(watched: bool) {
    WATCHING.store(watched, SeqCst);
}

/// Pages of the host's heap, some of which are mapped otherwise while they are an extension's.
pub struct Region {
    start: NonNull<u8>,
    pages: usize,
    own: usize,
}
// SAFETY: the memory is the region's own.
unsafe impl Send for Region {}
unsafe impl Sync for Region {}
impl Region {
    /// So many bytes, whole pages, that are read and written; what is in them is what was in the heap. `ENOMEM`.
    pub fn new(bytes: usize) -> Result<Region, Error> {
        let layout = Layout::from_size_align(bytes, PAGE).map_err(|_| Error::ENOMEM)?;
        // SAFETY: an image has a page at least.
        let start = NonNull::new(unsafe { alloc(layout) }).ok_or(Error::ENOMEM)?;
        Ok(Region { start, pages: bytes / PAGE, own: thread::asid() })
    }
    pub fn pointer(&self) -> *const u8 {
        self.start.as_ptr()
    }
    pub fn start(&self) -> usize {
        self.pointer().expose_provenance()
    }
    fn map(&self, at: usize, source: usize, rights: Rights) -> Result<(), Error> {
        check(portal::call(system::PAGE, [self.own, self.start() + at, source, rights.bits() as usize])).map(|_| ())
    }
    /// Nothing is at that offset any more.
    pub fn clear(&self, at: usize) -> Result<(), Error> {
        self.map(at, 0, Rights::NONE)
    }
    /// A copy of a page is at that offset, with other rights than the heap's. `ENOMEM`.
    pub fn place(&self, at: usize, page: &Page, rights: Rights) -> Result<(), Error> {
        self.clear(at)?;
        self.map(at, page.0.as_ptr().expose_provenance(), rights)
    }
}
impl Drop for Region {
    fn drop(&mut self) {
        for at in (0..self.pages).map(|n| n * PAGE) {
            // What is not mapped is not; and what can not be mapped is no memory that the heap could give.
            let _ = self.clear(at);
            if self.map(at, 0, Rights::READ_WRITE).is_err() {
                return;
            }
        }
        // SAFETY: it was allocated so, and is as it was.
        unsafe { dealloc(self.start.as_ptr(), Layout::from_size_align_unchecked(self.pages * PAGE, PAGE)) };
    }
}
/// What was placed is executed from now on.
pub fn code_was_written() {
    arch::component::code_was_written();
}
