//! How code is run that was linked into a component: absent still.

use crate::landing::{Landing, Outcome};

const ABSENT: &str = "x86-64: extensions are absent";

/// # Safety
/// As that of the other machine.
pub unsafe fn activate(_landing: *const Landing, _entry: usize, _words: &[usize; 8]) -> Outcome {
    unimplemented!("{ABSENT}")
}
/// # Safety
/// As that of the other machine.
pub unsafe fn abort(_landing: *const Landing, _why: usize) -> ! {
    unimplemented!("{ABSENT}")
}
/// The way is that of who is not quick.
#[macro_export]
macro_rules! quick {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $handled as *const ()
    };
}
#[macro_export]
macro_rules! chosen {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $handled as *const ()
    };
}
#[macro_export]
macro_rules! door {
    ($body:path, $why:expr $(, $generic:ident: $bound:path)?) => {
        $body as *const () as usize
    };
}
pub fn faulted_landing<const FAULTED: usize>() -> usize {
    unimplemented!("{ABSENT}")
}
