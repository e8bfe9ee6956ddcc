//! The heap: Doug Lea's allocator over pages from the memory manager.

use crate::sync::RawMutex;
use abi::address::PAGE;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use dlmalloc::Dlmalloc;

#[cfg(feature = "failing")]
pub mod failing;
mod owner;
mod reserve;

pub use reserve::{Begun, keep, keep_less, keep_more, keep_nothing};

/// Where a component's pages come from.
pub trait Grow: Send + Sync {
    /// Whether the component may say in the system log, in the middle of an allocation, how many have failed.
    #[cfg(feature = "failing")]
    const SAYS: bool;
    /// Pages that the heap grows by, where they are enough.
    const STEP: usize;
    /// Adds pages at the end of the heap; its old end, or an error.
    fn grow(pages: usize) -> isize;
}
/// An ordinary component's: from a portal that every domain has.
pub struct Ordinary;
impl Grow for Ordinary {
    #[cfg(feature = "failing")]
    const SAYS: bool = true;
    // Pages that are not touched are only promised.
    const STEP: usize = 16;
    fn grow(pages: usize) -> isize {
        crate::portal::call(abi::system::GROW, [pages])
    }
}
/// A trusted boot component's: from the memory manager itself.
pub struct Boot;
impl Grow for Boot {
    // The log is init's.
    #[cfg(feature = "failing")]
    const SAYS: bool = false;
    // Those of a boot component are there at once.
    const STEP: usize = 1;
    fn grow(pages: usize) -> isize {
        let domain = interfaces::types::DomainNumber(crate::thread::asid());
        interfaces::memory::grow_for(domain, pages).map_or_else(abi::Error::code, |end| end.0 as isize)
    }
}

/// Where the allocator gets its pages. It asks for 64 KiB at a time, whatever it needs; where it gets less than it needs, it
/// keeps that and finds no memory.
struct Pages<G> {
    /// Most pages that it gets next.
    most: usize,
    /// It got some.
    grown: Cell<bool>,
    by: core::marker::PhantomData<G>,
}
// SAFETY: each answer is a range of zeroed pages that the memory manager gave this domain alone.
unsafe impl<G: Grow> dlmalloc::Allocator for Pages<G> {
    fn alloc(&self, bytes: usize) -> (*mut u8, usize, u32) {
        let pages = bytes.div_ceil(PAGE).min(self.most);
        match crate::check(G::grow(pages)) {
            Ok(address) => {
                self.grown.set(true);
                (address as *mut u8, pages * PAGE, 0)
            }
            Err(_) => (core::ptr::null_mut(), 0, 0),
        }
    }
    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        core::ptr::null_mut()
    }
    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }
    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }
    fn can_release_part(&self, _: u32) -> bool {
        false
    }
    fn allocates_zeros(&self) -> bool {
        true
    }
    fn page_size(&self) -> usize {
        PAGE
    }
}

/// The global allocator of a component; [`program!`](crate::program) and its siblings install it.
pub struct Heap<G: Grow>(lock_api::Mutex<RawMutex, Dlmalloc<Pages<G>>>);
impl<G: Grow> Heap<G> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Heap<G> {
        Heap(lock_api::Mutex::from_raw(
            <RawMutex as lock_api::RawMutex>::INIT,
            Dlmalloc::new_with_allocator(Pages {
                most: G::STEP,
                grown: Cell::new(false),
                by: core::marker::PhantomData,
            }),
        ))
    }
}
/// What the allocator adds to a block, and to the end of the heap, at most.
const OVERHEAD: usize = 512;

/// Asks the allocator for memory, and again with as many pages as a block of `layout`, now of `size` bytes, needs.
#[inline(always)]
fn obtain<G: Grow>(
    allocator: &mut Dlmalloc<Pages<G>>,
    layout: Layout,
    size: usize,
    ask: impl Fn(&mut Dlmalloc<Pages<G>>) -> *mut u8,
) -> *mut u8 {
    let block = ask(allocator);
    if block.is_null() { obtain_more(allocator, layout, size, ask) } else { block }
}
/// Blocks of at least so many steps get their pages at once: less than a sixteenth of them more than they need.
const LARGE: usize = 16;
#[cold]
fn obtain_more<G: Grow>(
    allocator: &mut Dlmalloc<Pages<G>>,
    layout: Layout,
    size: usize,
    ask: impl Fn(&mut Dlmalloc<Pages<G>>) -> *mut u8,
) -> *mut u8 {
    let pages = size.saturating_add(layout.align()).saturating_add(OVERHEAD).div_ceil(PAGE);
    if pages >= LARGE * G::STEP {
        allocator.allocator_mut().most = pages;
        let block = ask(allocator);
        allocator.allocator_mut().most = G::STEP;
        return block;
    }
    // The pages of a heap follow each other, so each step adds to the last one, until what is behind the last block is enough.
    loop {
        allocator.allocator_mut().grown.set(false);
        let block = ask(allocator);
        if !block.is_null() || !allocator.allocator_mut().grown.get() {
            return block;
        }
    }
}
// SAFETY: the mutex serializes all use of the allocator.
unsafe impl<G: Grow> Sync for Heap<G> {}
impl<G: Grow> Heap<G> {
    /// What `ask` gets of the heap; where that is nothing, what it gets once the component's reserve is in the heap.
    #[inline(always)]
    fn find(&self, layout: Layout, size: usize, ask: impl Fn(&mut Dlmalloc<Pages<G>>) -> *mut u8) -> *mut u8 {
        #[cfg(feature = "failing")]
        match failing::answer(size, G::SAYS) {
            failing::Answer::Heap => {}
            failing::Answer::Reserve => return self.find_in_reserve(size, ask),
            failing::Answer::None => return core::ptr::null_mut(),
        }
        let block = obtain(&mut self.0.lock(), layout, size, &ask);
        if block.is_null() { self.find_in_reserve(size, ask) } else { block }
    }
    #[cold]
    fn find_in_reserve(&self, size: usize, ask: impl Fn(&mut Dlmalloc<Pages<G>>) -> *mut u8) -> *mut u8 {
        let mut heap = self.0.lock();
        if let Some((block, layout)) = reserve::take(size) {
            // SAFETY: it was allocated here with this layout, and nobody has it any more.
            unsafe { heap.free(block, layout.size(), layout.align()) };
        }
        ask(&mut heap)
    }
}
// SAFETY: passes each call on to an allocator that keeps `GlobalAlloc`'s rules.
unsafe impl<G: Grow> GlobalAlloc for Heap<G> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        self.find(layout, layout.size(), |heap| unsafe { heap.malloc(layout.size(), layout.align()) })
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        #[cfg(feature = "failing")]
        failing::freed(layout.size());
        // SAFETY: as above.
        unsafe { self.0.lock().free(pointer, layout.size(), layout.align()) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        self.find(layout, size, |heap| unsafe { heap.realloc(pointer, layout.size(), layout.align(), size) })
    }
}

/// The heap of a component that has none; the SDK wants one named.
pub struct NoHeap;
// SAFETY: gives out nothing.
unsafe impl GlobalAlloc for NoHeap {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
