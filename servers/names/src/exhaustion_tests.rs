//! The n-th allocation fails, for every n: what was asked ends with `ENOMEM` and changes nothing, ends go on, and all works again.

use super::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread that still succeed; all do where there is none.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}
/// The host's allocator, which fails when it is told to.
struct Failing;
impl Failing {
    fn fails() -> bool {
        LEFT.with(|left| match left.get() {
            None => false,
            Some(0) => true,
            Some(n) => {
                left.set(Some(n - 1));
                false
            }
        })
    }
}
// SAFETY: passes each call on to the host's allocator, or answers as one without memory.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        if Failing::fails() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        if Failing::fails() { std::ptr::null_mut() } else { unsafe { System.realloc(at, layout, size) } }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}
#[global_allocator]
static FAILING: Failing = Failing;

/// Runs `body` while all allocations after the first `left` ones fail.
fn with_allocations<T>(left: usize, body: impl FnOnce() -> T) -> T {
    LEFT.with(|cell| cell.set(Some(left)));
    let result = body();
    LEFT.with(|cell| cell.set(None));
    result
}
fn name(text: &str) -> Name {
    Name::of(text).unwrap()
}

#[test]
fn every_allocation_can_fail() {
    let (pattern, first, second) = (name("a.*"), name("a.1"), name("a.2"));
    let mut failed = 0;
    for left in 0.. {
        let mut names = Names::new();
        names.allow(5, &pattern, Right::Provide).unwrap();
        names.allow(5, &pattern, Right::Open).unwrap();
        names.bind(5, &first, 1).unwrap();
        let steps: [Result<(), Error>; 4] = with_allocations(left, || {
            [
                names.inherit(300, 5),
                names.allow(300, &pattern, Right::Open),
                names.bind(5, &second, 2),
                names.allow(301, &pattern, Right::Provide),
            ]
        });
        assert!(steps.iter().all(|step| matches!(step, Ok(()) | Err(Error::ENOMEM))));
        // What failed has left no trace, and what is there still works.
        assert_eq!(names.lookup(5, &first), Ok(1));
        assert_eq!(names.lookup(5, &second), if steps[2].is_ok() { Ok(2) } else { Err(Error::ENOENT) });
        let inherits = steps[0].is_ok() || steps[1].is_ok();
        assert_eq!(names.lookup(300, &first), if inherits { Ok(1) } else { Err(Error::EACCESS) });
        // Ends need no memory at all.
        with_allocations(0, || {
            names.forget(5);
            names.forget(300);
            names.forget(511);
        });
        names.allow(6, &pattern, Right::Provide).unwrap();
        assert_eq!(names.bind(6, &first, 3), Ok(()));
        if steps.iter().all(Result::is_ok) {
            break;
        }
        failed += 1;
    }
    assert!(failed > 4, "{failed} allocations failed");
}
