//! COMPILER, DYN, STACK: the new solver refuses what the old one believes.
#![no_std]
pub trait Pairs<U> {
    type With;
}
impl<T: ?Sized, U> Pairs<U> for T {
    type With = U;
}
fn take<T: ?Sized, U>(value: <T as Pairs<U>>::With) -> U {
    value
}
pub fn change(value: [u64; 3]) -> [i64; 3] {
    take::<dyn Pairs<[i64; 3], With = [u64; 3]>, [i64; 3]>(value)
}
