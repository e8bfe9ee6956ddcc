//! EXPLICIT: that a parameter lasts for ever.
#![no_std]
pub trait Keeps<T> {
    fn keep(&self) -> usize;
}
impl<T> Keeps<T> for [&'static T] {
    fn keep(&self) -> usize {
        self.len()
    }
}
