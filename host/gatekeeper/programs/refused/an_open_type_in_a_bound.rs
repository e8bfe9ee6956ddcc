//! RIGID: in a where clause.
#![no_std]
pub fn count<I: Iterator>(all: I) -> usize
where
    I::Item: Copy,
{
    all.count()
}
