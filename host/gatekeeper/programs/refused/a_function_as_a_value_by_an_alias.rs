//! EXPLICIT: the same, behind an alias of the associated type, given to a function of the extension's.
#![no_std]
pub trait Unit {
    type Out;
}
impl<T: ?Sized> Unit for T {
    type Out = ();
}
type Hidden<'a, 'b> = <&'a &'b u64 as Unit>::Out;
fn longer<'a, 'b>(value: &'b u64, _: Hidden<'a, 'b>) -> &'a u64 {
    value
}
fn call<A, R>(f: impl FnOnce(A, ()) -> R, a: A) -> R {
    f(a, ())
}
pub fn hold<'a>(value: &u64) -> &'a u64 {
    call(longer, value)
}
