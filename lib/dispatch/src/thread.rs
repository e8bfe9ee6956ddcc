//! What a thread of the host's is in: lists that it goes through, and the activation that it is in.

use crate::{DEPTH, machine};
use abi::nucleus::MAX_THREADS;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicPtr, AtomicUsize, compiler_fence};

/// Only the thread itself writes.
struct Marks {
    depth: AtomicUsize,
    lists: [AtomicPtr<()>; DEPTH],
}
// A page that no thread has touched takes no memory.
static MARKS: [Marks; MAX_THREADS] =
    [const { Marks { depth: AtomicUsize::new(0), lists: [const { AtomicPtr::new(ptr::null_mut()) }; DEPTH] } };
        MAX_THREADS];

/// The highest number of a thread that has gone through a list, and one more: where nobody was, nobody looks, and no page is touched.
static END: AtomicUsize = AtomicUsize::new(0);

/// A thread of the host's, by its number.
#[derive(Clone, Copy)]
pub(crate) struct Thread(usize);
impl Thread {
    /// The calling one.
    #[inline(always)]
    pub fn own() -> Thread {
        // Whatever the number is, it is one.
        Thread(machine::thread() % MAX_THREADS)
    }
    /// Where the innermost activation that it is in lands, or null.
    #[inline(always)]
    pub fn landing(self) -> *mut machine::Landing {
        machine::landing(self.0).load(Relaxed)
    }
    #[inline(always)]
    pub fn set_landing(self, landing: *mut machine::Landing) {
        machine::landing(self.0).store(landing, Relaxed);
    }
    /// Notes the list that is there, so that it stays until the mark goes. `None`: there is none, or too many events are raised in each other.
    #[inline(always)]
    pub fn mark<L>(self, source: &AtomicPtr<L>) -> Option<Mark<L>> {
        let marks = &MARKS[self.0];
        if END.load(Relaxed) <= self.0 {
            END.fetch_max(self.0 + 1, SeqCst);
        }
        let depth = marks.depth.load(Relaxed);
        let place = marks.lists.get(depth)?;
        marks.depth.store(depth + 1, Relaxed);
        let mark = Mark { marks, depth, list: PhantomData };
        loop {
            let list = source.load(Acquire);
            place.store(list.cast(), Relaxed);
            // The threads of a component share a hart: what is to be in order is what the compiler makes.
            compiler_fence(SeqCst);
            if source.load(Relaxed) == list {
                return (!list.is_null()).then_some(mark);
            }
        }
    }
}
/// Whether a list is in a mark of any thread's.
pub(crate) fn is_marked<L>(list: *const L) -> bool {
    let is = |mark: &AtomicPtr<()>| ptr::addr_eq(mark.load(Acquire), list);
    MARKS[..END.load(SeqCst)].iter().any(|marks| marks.lists.iter().any(is))
}

/// That a thread goes through a list.
pub(crate) struct Mark<L> {
    marks: &'static Marks,
    depth: usize,
    list: PhantomData<L>,
}
impl<L> Mark<L> {
    /// What is marked.
    #[inline(always)]
    pub fn list(&self) -> &L {
        // SAFETY: it was the event's when it was marked, and who takes it from there waits for the mark.
        unsafe { &*self.marks.lists[self.depth].load(Relaxed).cast() }
    }
}
impl<L> Drop for Mark<L> {
    #[inline(always)]
    fn drop(&mut self) {
        self.marks.lists[self.depth].store(ptr::null_mut(), Release);
        self.marks.depth.store(self.depth, Relaxed);
    }
}
