//! COPY, EXPLICIT: for the type that its parameter is where nobody says it.
#![no_std]
pub struct Kept<T = &'static u8>(pub T);
impl<T: Clone> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Kept(self.0.clone())
    }
}
impl Copy for Kept {}
