//! Memory on the host that ends when a test says so: the n-th thing that is asked for is not there, nor any after it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// What this thread may still have; all it wants where there is none.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}
/// Whether what this thread asks for now is not there.
pub fn fails() -> bool {
    LEFT.with(|left| match left.get() {
        None => false,
        // What a failed test says.
        _ if std::thread::panicking() => false,
        Some(0) => true,
        Some(n) => {
            left.set(Some(n - 1));
            false
        }
    })
}
/// Runs `body`, which has all it wants.
pub fn spared<T>(body: impl FnOnce() -> T) -> T {
    let left = LEFT.replace(None);
    let result = body();
    LEFT.set(left);
    result
}
/// Runs `body` while nothing is there after the first `left` things that are asked for.
pub fn with_only<T>(left: usize, body: impl FnOnce() -> T) -> T {
    // Who can not do without is wrong.
    std::alloc::set_alloc_error_hook(|layout| {
        LEFT.set(None);
        panic!("{} bytes of memory were taken for granted", layout.size());
    });
    /// Whatever becomes of it.
    struct All;
    impl Drop for All {
        fn drop(&mut self) {
            LEFT.set(None);
        }
    }
    let _all = All;
    LEFT.set(Some(left));
    body()
}

struct Failing;
// SAFETY: passes each call on to the host's allocator, or answers as one without memory.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        if fails() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        if fails() { std::ptr::null_mut() } else { unsafe { System.realloc(at, layout, size) } }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}
#[global_allocator]
static FAILING: Failing = Failing;
