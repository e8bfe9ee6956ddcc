//! EXPLICIT: the head implies that `'long` outlives `'short`.
#![no_std]
pub trait Shortens<'long, 'short, W> {
    fn shorten(value: &'long u64) -> &'short u64;
}
pub struct Tool;
impl<'long, 'short> Shortens<'long, 'short, &'short &'long ()> for Tool {
    fn shorten(value: &'long u64) -> &'short u64 {
        value
    }
}
