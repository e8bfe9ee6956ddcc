//! RIGID: no type is written.
#![no_std]
pub trait Makes {
    type Made;
    fn make(&self) -> Self::Made;
}
pub fn twice<M: Makes>(maker: &M) {
    let _first = maker.make();
}
