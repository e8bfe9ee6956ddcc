//! What a thread of the host's is in: lists that it goes through, and the activation that it is in.

use crate::{DEPTH, machine};
use abi::nucleus::MAX_THREADS;
use arch::landing::{IN_NONE, Landing, Raised, THREADS};
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
    /// Where the innermost activation that it is in lands.
    #[inline(always)]
    pub fn landing(self) -> Option<*const Landing> {
        Some(self.known_landing().cast_const()).filter(|landing| !landing.is_null() && *landing != IN_NONE)
    }
    #[inline(always)]
    pub fn set_landing(self, landing: *mut Landing) {
        THREADS[self.0].landing.store(landing, Relaxed);
    }
    /// The same as others find it: of one that was in none yet, it is null.
    #[inline(always)]
    pub fn known_landing(self) -> *mut Landing {
        THREADS[self.0].landing.load(Relaxed)
    }
    /// It is looked at from now on where somebody waits for lists.
    #[cold]
    fn becomes_known(self) {
        END.fetch_max(self.0 + 1, SeqCst);
        self.set_landing(IN_NONE);
    }
    /// Notes the list that is there, so that it stays until the mark goes. `None`: too many events are raised in each other.
    #[inline(always)]
    pub fn mark<L>(self, source: &AtomicPtr<L>) -> Option<Mark<L>> {
        let marks = &MARKS[self.0];
        if self.known_landing().is_null() {
            self.becomes_known();
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
                return Some(mark);
            }
        }
    }
}
/// Whether a list is in a mark of any thread's.
pub(crate) fn is_marked<L>(list: *const L) -> bool {
    let is = |mark: &AtomicPtr<()>| ptr::addr_eq(mark.load(Acquire), list);
    MARKS[..END.load(SeqCst)].iter().any(|marks| marks.lists.iter().any(is))
}
/// Whether any thread is about to enter a handler of that event's the quick way.
pub(crate) fn is_entered(event: *const Raised) -> bool {
    THREADS[..END.load(SeqCst)].iter().any(|thread| ptr::eq(thread.enters.load(Acquire), event))
}

/// That a thread goes through a list.
pub(crate) struct Mark<L> {
    marks: &'static Marks,
    depth: usize,
    /// Only its thread has it.
    list: PhantomData<*const L>,
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
