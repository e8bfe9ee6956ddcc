//! RIGID: of the trait's own `Self`.
#![no_std]
pub trait Makes {
    type Made;
    fn make(&self) -> Self::Made;
    fn make_and_drop(&self) {
        drop(self.make());
    }
}
