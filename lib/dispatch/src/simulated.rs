//! The machine as the tests of this one have it: a handler is called where its raiser is, and its end unwinds it.

use arch::landing::{Code, Compared, Landing, Outcome, Read};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

static NEXT: AtomicUsize = AtomicUsize::new(1);
/// How often an end was told.
pub static TOLD: AtomicUsize = AtomicUsize::new(0);
std::thread_local! {
    static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
}
pub const MICROSECOND: u64 = 1;
pub fn thread() -> usize {
    NUMBER.with(|number| *number)
}
pub fn wait() {
    std::thread::yield_now();
}
pub fn tell() {
    TOLD.fetch_add(1, Ordering::Relaxed);
}
pub fn begun() {}
pub fn is_watching() -> bool {
    true
}
pub fn watches(_: bool) {}
pub fn is_kept() -> bool {
    true
}
pub fn code_was_written() {}
pub fn has_floating_point(_: &[u8]) -> bool {
    false
}
type Entry = extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;
pub unsafe fn activate(_: *const Landing, entry: usize, words: &[usize; 8]) -> Outcome {
    // SAFETY: the tests' entries are of this form.
    let entry = unsafe { core::mem::transmute::<*const (), Entry>(core::ptr::with_exposed_provenance(entry)) };
    let [a, b, c, d, e, f, g, h] = *words;
    match catch_unwind(AssertUnwindSafe(|| entry(a, b, c, d, e, f, g, h))) {
        Ok(word) => Outcome { word, why: 0 },
        Err(why) => Outcome { word: 0, why: *why.downcast::<usize>().expect("the end of an activation") },
    }
}
pub unsafe fn abort(_: *const Landing, why: usize) -> ! {
    resume_unwind(Box::new(why))
}

/// A page of the host's that others are copies of.
pub struct Page(pub [u8; abi::address::PAGE]);
/// What was taken away.
pub static GONE: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
/// Memory; what is mapped there is noted nowhere.
pub struct Region(Vec<u128>);
impl Region {
    pub fn new(bytes: usize) -> Result<Region, abi::Error> {
        Ok(Region(vec![0; bytes / size_of::<u128>()]))
    }
    pub fn pointer(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
    pub fn start(&self) -> usize {
        self.pointer().expose_provenance()
    }
    pub fn clear(&self, at: usize) -> Result<(), abi::Error> {
        GONE.lock().unwrap().push(self.start() + at);
        Ok(())
    }
    pub fn place(&self, _: usize, _: &Page, _: abi::rights::Rights) -> Result<(), abi::Error> {
        Ok(())
    }
}

/// As the machine's, but that it is this one's.
pub struct Mutex<T>(std::sync::Mutex<T>);
impl<T> Mutex<T> {
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }
    pub fn lock(&self) -> std::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

unsafe extern "C" fn absent() {}
/// Nobody is found so.
pub fn reader(_: usize, _: Read) -> Code {
    absent
}
pub fn comparison(_: Compared, _: bool) -> Code {
    absent
}
/// Nobody is quicker than others.
#[doc(hidden)]
#[macro_export]
macro_rules! machine_quick {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $handled as *const ()
    };
}
#[doc(hidden)]
#[macro_export]
macro_rules! machine_chosen {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $handled as *const ()
    };
}
/// Where the stack is the raiser's there is enough of it.
#[doc(hidden)]
#[macro_export]
macro_rules! machine_door {
    ($body:path, $why:expr $(, $generic:ident: $bound:path)?) => {
        $body as *const () as usize
    };
}
