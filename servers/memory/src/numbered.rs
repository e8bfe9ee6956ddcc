//! Records by the number of a domain, in pages that are taken when the first record of theirs is, and kept.

use crate::frames::{For, Frames};
use crate::ram::Ram;
use abi::Error;
use abi::address::PAGE;
use abi::nucleus::MAX_DOMAINS;

/// Records in a page of them.
const CHUNK: usize = 64;
const _: () = assert!(MAX_DOMAINS.is_multiple_of(CHUNK));

/// A record for each number; all zeros is one that nothing has been written to.
pub struct Numbered<T: 'static>([Option<&'static mut [T; CHUNK]>; MAX_DOMAINS / CHUNK]);

impl<T: Copy> Numbered<T> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Numbered<T> {
        const { assert!(size_of::<[T; CHUNK]>() <= PAGE) };
        Numbered([const { None }; MAX_DOMAINS / CHUNK])
    }
    /// The record of `number`, if there is a page for it.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number / CHUNK)?.as_ref().map(|chunk| &chunk[number % CHUNK])
    }
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.0.get_mut(number / CHUNK)?.as_mut().map(|chunk| &mut chunk[number % CHUNK])
    }
    /// The same, with a page for it. `EINVAL`: there is no such number; `ENOMEM`.
    ///
    /// # Safety
    /// Zeros are a value of `T`.
    pub unsafe fn make(&mut self, number: usize, ram: &mut impl Ram, frames: &mut Frames) -> Result<&mut T, Error> {
        let place = self.0.get_mut(number / CHUNK).ok_or(Error::EINVAL)?;
        if place.is_none() {
            let page = frames.take(For::System)?;
            ram.clear(page);
            // SAFETY: the frame is this chunk's for ever, nothing else refers to it, it is large enough and aligned, and zeros
            // are a value.
            *place = Some(unsafe { &mut *ram.pointer(page).cast::<[T; CHUNK]>() });
        }
        place.as_mut().map(|chunk| &mut chunk[number % CHUNK]).ok_or(Error::ENOMEM)
    }
}
