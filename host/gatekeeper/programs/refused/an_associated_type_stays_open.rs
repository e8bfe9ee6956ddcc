//! RIGID: of what the closure gives nothing is known but that the closure lasts.
#![no_std]
pub fn first<I: Iterator>(mut all: I) -> Option<I::Item> {
    all.next()
}
