//! EXPLICIT: the same, by a method that a trait provides.
#![no_std]
pub trait Unit {
    type Out;
}
impl<T: ?Sized> Unit for T {
    type Out = ();
}
pub trait Goes {
    fn go<'a, 'b>(value: (&'b u64, <&'a &'b u64 as Unit>::Out)) -> &'a u64 {
        value.0
    }
}
impl Goes for u8 {}
pub fn hold<'a>(value: &u64) -> Option<&'a u64> {
    Some((value, ())).map(u8::go)
}
