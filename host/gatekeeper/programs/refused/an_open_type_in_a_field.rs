//! RIGID: in a type that nothing uses.
#![no_std]
pub struct Pending<I: Iterator> {
    pub next: Option<I::Item>,
}
