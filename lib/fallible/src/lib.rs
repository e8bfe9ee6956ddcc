//! Memory that may not be there: what a server uses that allocates on behalf of others.
//!
//! A server that many call must outlive the moment when no memory is left. What it keeps for a client it gets through these, and
//! the client is told `ENOMEM`. What an end needs is reserved when the thing is made: `push_kept` then finds its room.
//! The servers that this holds for have a `clippy.toml` that refuses the infallible forms.

#![cfg_attr(not(any(test, feature = "failing")), no_std)]
#![cfg_attr(any(test, feature = "failing"), feature(alloc_error_hook))]

extern crate alloc;

#[cfg(any(test, feature = "failing"))]
pub mod failing;
mod map;

pub use map::Map;

use abi::Error;
use alloc::alloc::Layout;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::ptr::NonNull;

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
        let there = self.len() < self.capacity();
        if there {
            // SAFETY: the place behind the last one is there, and is the vector's from here on.
            unsafe {
                self.as_mut_ptr().add(self.len()).write(value);
                self.set_len(self.len() + 1);
            }
        }
        there
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
    let place = room::<T>(alloc::alloc::alloc)?;
    // SAFETY: the allocator gave it for one of the type, or the type needs no room.
    unsafe {
        place.write(value);
        Ok(Box::from_raw(place))
    }
}
/// Room for a `T`. `ENOMEM`.
fn room<T>(allocate: unsafe fn(Layout) -> *mut u8) -> Result<*mut T> {
    let layout = Layout::new::<T>();
    if layout.size() == 0 {
        return Ok(NonNull::dangling().as_ptr());
    }
    // SAFETY: it is not of no bytes.
    let place = unsafe { allocate(layout) }.cast::<T>();
    if place.is_null() { Err(Error::ENOMEM) } else { Ok(place) }
}
/// All of `values`, in their order. `ENOMEM`.
pub fn collected<T>(values: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.room_for(values.size_hint().0)?;
    for value in values {
        all.try_push(value)?;
    }
    Ok(all)
}
/// `count` zeros. `ENOMEM`.
pub fn zero_bytes(count: usize) -> Result<Vec<u8>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).map_err(|_| Error::ENOMEM)?;
    zeros.resize(count, 0);
    Ok(zeros)
}
/// A copy of `text`. `ENOMEM`.
pub fn text(text: &str) -> Result<Box<str>> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| Error::ENOMEM)?;
    copy.push_str(text);
    // As much as was reserved is used, so nothing is allocated anew.
    Ok(copy.into_boxed_str())
}
/// A value that is all zeros, made where it stays. `ENOMEM`.
///
/// # Safety
/// Zeros are a value of the type.
pub unsafe fn zeroed<T>() -> Result<Box<T>> {
    let zeros = room::<T>(alloc::alloc::alloc_zeroed)?;
    // SAFETY: the allocator gave it for one of the type, which zeros are, by the caller's promise.
    Ok(unsafe { Box::from_raw(zeros) })
}
/// So many bytes, all zeros. `ENOMEM`.
pub fn zeros<const COUNT: usize>() -> Result<Box<[u8; COUNT]>> {
    // SAFETY: zeros are bytes.
    unsafe { zeroed() }
}
