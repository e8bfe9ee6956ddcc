//! COPY: by a trait of the extension's own, which holds for one lifetime.
#![no_std]
pub trait Lasts {}
impl Lasts for &'static u8 {}
pub struct Kept<T>(pub T);
impl<T: Clone> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Kept(self.0.clone())
    }
}
impl<T: Copy + Lasts> Copy for Kept<T> {}
