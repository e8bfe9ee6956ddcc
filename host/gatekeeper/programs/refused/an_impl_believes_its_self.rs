//! EXPLICIT: what `Self` stands for in the head has a lifetime in it.
#![no_std]
pub trait Shortens<'long, 'short, W> {
    fn shorten(value: &'long u64) -> &'short u64;
}
pub struct Tool<'t>(pub &'t u64);
impl<'long, 'short> Shortens<'long, 'short, &'short Self> for Tool<'long> {
    fn shorten(value: &'long u64) -> &'short u64 {
        value
    }
}
