//! Doug Lea's allocator behind C's `malloc`: the one that the Rust SDK has, whose search for a free block takes a time that grows
//! with the number of bits of its size. `lib/c/src/heap.c` calls it, one thread at a time, and checks what C passes.
#![no_std]

use core::cell::{Cell, UnsafeCell};
use core::ptr::null_mut;
use dlmalloc::Dlmalloc;

const PAGE: usize = 4096;
/// Alignment of what `malloc` returns: that of the largest scalar type (RISC-V psABI, `max_align_t`).
const ALIGNMENT: usize = 16;

unsafe extern "C" {
    /// Adds pages at the end of the heap; its old end, or a negative error.
    safe fn __pebble_grow(pages: usize) -> isize;
}

/// Pages that the heap grows by at once: at most so many, and at most a part of what it has, so that a small program's stays
/// small.
const STEP: usize = 16;
const PART: usize = 4;

/// Where the allocator gets its pages: it keeps them. It asks for 64 KiB at a time, whatever it needs; where it gets less than it
/// needs, it keeps that and finds no memory.
struct Pages {
    /// Most pages that it gets next.
    most: usize,
    /// It got some.
    grown: Cell<bool>,
    /// Pages that it has.
    all: Cell<usize>,
}
// SAFETY: each answer is a range of zeroed pages that the memory manager gave this domain alone.
unsafe impl dlmalloc::Allocator for Pages {
    fn alloc(&self, bytes: usize) -> (*mut u8, usize, u32) {
        let pages = bytes.div_ceil(PAGE).min(self.most);
        match __pebble_grow(pages) {
            start @ 1.. => {
                self.grown.set(true);
                self.all.set(self.all.get() + pages);
                (start as *mut u8, pages * PAGE, 0)
            }
            _ => (null_mut(), 0, 0),
        }
    }
    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
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

struct Heap(UnsafeCell<Dlmalloc<Pages>>);
// SAFETY: `heap.c` holds a lock around each call.
unsafe impl Sync for Heap {}
static HEAP: Heap =
    Heap(UnsafeCell::new(Dlmalloc::new_with_allocator(Pages { most: 1, grown: Cell::new(false), all: Cell::new(0) })));

/// The allocator.
///
/// # Safety
/// The caller holds the lock of `heap.c`.
unsafe fn heap() -> &'static mut Dlmalloc<Pages> {
    // SAFETY: the lock makes this the only reference.
    unsafe { &mut *HEAP.0.get() }
}

/// What the allocator adds to a block, and to the end of the heap, at most.
const OVERHEAD: usize = 512;

/// Asks for memory, and again with as many pages as `bytes`, their alignment included, need.
///
/// # Safety
/// The caller holds the lock of `heap.c`.
unsafe fn obtain(bytes: usize, ask: impl Fn(&mut Dlmalloc<Pages>) -> *mut u8) -> *mut u8 {
    // SAFETY: as above.
    let heap = unsafe { heap() };
    let needed = bytes.saturating_add(OVERHEAD).div_ceil(PAGE);
    // The pages of a heap follow each other, so each step adds to the last one, until what is behind the last block is enough.
    loop {
        let pages = heap.allocator_mut();
        pages.grown.set(false);
        pages.most = if needed > STEP { needed } else { (pages.all.get() / PART).clamp(1, STEP) };
        let block = ask(heap);
        if !block.is_null() || !heap.allocator().grown.get() {
            return block;
        }
    }
}

/// `bytes` at a multiple of `alignment`, a power of two; null: there is no memory.
///
/// # Safety
/// The caller holds the lock of `heap.c`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pebble_allocate(bytes: usize, alignment: usize) -> *mut u8 {
    // SAFETY: as above.
    unsafe { obtain(bytes.saturating_add(alignment), |heap| heap.malloc(bytes, alignment.max(ALIGNMENT))) }
}
/// The same, all zeros.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pebble_allocate_zeros(bytes: usize) -> *mut u8 {
    // SAFETY: as above.
    unsafe { obtain(bytes, |heap| heap.calloc(bytes, ALIGNMENT)) }
}
/// Moves a block of `old` bytes; null: there is no memory, and it stays.
///
/// # Safety
/// As above; `block` came from here with as many, at no alignment of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pebble_reallocate(block: *mut u8, old: usize, bytes: usize) -> *mut u8 {
    // SAFETY: as above.
    unsafe { obtain(bytes, |heap| heap.realloc(block, old, ALIGNMENT, bytes)) }
}
/// Takes a block of `bytes` back.
///
/// # Safety
/// As above; `block` came from here with as many, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pebble_release(block: *mut u8, bytes: usize) {
    // SAFETY: as above.
    unsafe { heap().free(block, bytes, ALIGNMENT) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    arch::component::stop()
}
