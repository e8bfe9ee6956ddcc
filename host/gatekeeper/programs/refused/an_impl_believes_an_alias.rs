//! EXPLICIT: the types of the head have another name, and the relation is two definitions away.
#![no_std]
pub enum Lent<'long, 'short> {
    All(&'short [&'long u64]),
}
pub type Under<'a, 'b> = Lent<'b, 'a>;
pub trait Shortens<'long, 'short> {
    fn shorten(value: &'long u64) -> &'short u64;
}
impl<'long, 'short> Shortens<'long, 'short> for Under<'short, 'long> {
    fn shorten(value: &'long u64) -> &'short u64 {
        value
    }
}
