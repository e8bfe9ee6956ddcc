//! Memory that may not be there: what a server uses that allocates on behalf of others.
//!
//! A server that many call must outlive the moment when no memory is left. What it keeps for a client it gets through these, and
//! the client is told `ENOMEM`. What an end needs is reserved when the thing is made: `push_kept` then finds its room.
//! The servers that this holds for have a `clippy.toml` that refuses the infallible forms.

#![cfg_attr(not(test), no_std)]
#![feature(allocator_api, vec_push_within_capacity)]

extern crate alloc;

use abi::Error;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, Error>;

/// Growth that can fail.
pub trait TryPush<T> {
    /// Appends `value`. `ENOMEM`: there is no room, and it is dropped.
    fn try_push(&mut self, value: T) -> Result<()>;
    /// Appends `value` where room for it was reserved; false: there is none, and it is dropped.
    fn push_kept(&mut self, value: T) -> bool;
    /// Sees to it that `more` can be appended. `ENOMEM`.
    fn room_for(&mut self, more: usize) -> Result<()>;
}
impl<T> TryPush<T> for Vec<T> {
    #[inline(always)]
    fn try_push(&mut self, value: T) -> Result<()> {
        self.room_for(1)?;
        self.push_kept(value);
        Ok(())
    }
    #[inline(always)]
    fn push_kept(&mut self, value: T) -> bool {
        self.push_within_capacity(value).is_ok()
    }
    #[inline(always)]
    fn room_for(&mut self, more: usize) -> Result<()> {
        if self.capacity() - self.len() >= more { Ok(()) } else { grow(self, more) }
    }
}
#[cold]
#[inline(never)]
fn grow<T>(of: &mut Vec<T>, more: usize) -> Result<()> {
    of.try_reserve(more).map_err(|_| Error::ENOMEM)
}
impl<T> TryPush<T> for VecDeque<T> {
    fn try_push(&mut self, value: T) -> Result<()> {
        self.room_for(1)?;
        self.push_kept(value);
        Ok(())
    }
    fn push_kept(&mut self, value: T) -> bool {
        let there = self.len() < self.capacity();
        if there {
            self.push_back(value);
        }
        there
    }
    fn room_for(&mut self, more: usize) -> Result<()> {
        self.try_reserve(more).map_err(|_| Error::ENOMEM)
    }
}
/// A box for `value`. `ENOMEM`.
pub fn boxed<T>(value: T) -> Result<Box<T>> {
    Box::try_new(value).map_err(|_| Error::ENOMEM)
}
