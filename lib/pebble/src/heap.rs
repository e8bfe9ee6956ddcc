//! The heap: Doug Lea's allocator over pages from the memory manager.

use crate::sync::{Portals, RawMutex, Scheduler, Wait};
use core::alloc::{GlobalAlloc, Layout};
use dlmalloc::Dlmalloc;

/// Where a component's pages come from.
pub trait Grow: Wait {
    /// Adds pages at the end of the heap; its old end, or an error.
    fn grow(pages: usize) -> isize;
}
impl Grow for Portals {
    fn grow(pages: usize) -> isize {
        crate::portal::call(abi::system::GROW, [pages])
    }
}
impl Grow for Scheduler {
    fn grow(pages: usize) -> isize {
        crate::boot::GROW_FOR.call([crate::thread::asid(), pages])
    }
}

struct Pages<G>(core::marker::PhantomData<G>);
// SAFETY: each answer is a range of zeroed pages that the memory manager gave this domain alone.
unsafe impl<G: Grow> dlmalloc::Allocator for Pages<G> {
    fn alloc(&self, bytes: usize) -> (*mut u8, usize, u32) {
        let pages = bytes.div_ceil(abi::address::PAGE);
        match crate::check(G::grow(pages)) {
            Ok(address) => (address as *mut u8, pages * abi::address::PAGE, 0),
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
        abi::address::PAGE
    }
}

/// The global allocator of a component; [`program!`](crate::program) and its siblings install it.
pub struct Heap<G: Grow>(lock_api::Mutex<RawMutex<G>, Dlmalloc<Pages<G>>>);
impl<G: Grow> Heap<G> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Heap<G> {
        Heap(lock_api::Mutex::from_raw(
            <RawMutex<G> as lock_api::RawMutex>::INIT,
            Dlmalloc::new_with_allocator(Pages(core::marker::PhantomData)),
        ))
    }
}
// SAFETY: the mutex serializes all use of the allocator.
unsafe impl<G: Grow> Sync for Heap<G> {}
// SAFETY: passes each call on to an allocator that keeps `GlobalAlloc`'s rules.
unsafe impl<G: Grow> GlobalAlloc for Heap<G> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.lock().malloc(layout.size(), layout.align()) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.lock().free(pointer, layout.size(), layout.align()) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.0.lock().realloc(pointer, layout.size(), layout.align(), size) }
    }
}
