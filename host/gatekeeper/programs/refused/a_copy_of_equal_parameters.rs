//! COPY: for pairs of one type only, which may be two lifetimes of one type.
#![no_std]
pub struct Pair<A, B>(pub A, pub B);
impl<A: Clone, B: Clone> Clone for Pair<A, B> {
    fn clone(&self) -> Self {
        Pair(self.0.clone(), self.1.clone())
    }
}
impl<T: Copy> Copy for Pair<T, T> {}
