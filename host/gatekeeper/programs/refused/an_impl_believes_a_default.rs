//! EXPLICIT: what the trait's parameter is, where nobody says it, implies that `'long` outlives `'short`.
#![no_std]
pub trait Shortens<'long, 'short, W = &'short &'long ()> {
    fn shorten(value: &'long u64) -> &'short u64;
}
pub struct Tool;
impl<'long, 'short> Shortens<'long, 'short> for Tool {
    fn shorten(value: &'long u64) -> &'short u64 {
        value
    }
}
