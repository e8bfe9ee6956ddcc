//! What clients pass through windows: names, specifications, structures. Copied before it is looked at.

use crate::Result;
use abi::Error;
use abi::name::Name;
use abi::window::Plain;
use alloc::boxed::Box;
use pebble::interfaces::types::Alleged;

/// Copies a `T` from a window.
pub fn read<T: Plain>(shown: Alleged<T>) -> Result<T> {
    shown.read()
}
/// Copies a `T` to a window.
pub fn write<T: Plain>(shown: Alleged<T>, value: &T) -> Result<()> {
    // SAFETY: a window argument whose letter is `w`.
    unsafe { shown.write(value) }
}
/// Copies a `T`, which fills a page, from a window to the heap.
pub fn boxed<T: Plain>(shown: Alleged<T>) -> Result<Box<T>> {
    // SAFETY: it is only read.
    let window = unsafe { shown.window(1) }?;
    let mut copy = Box::<T>::try_new_uninit().map_err(|_| Error::ENOMEM)?;
    // SAFETY: it is shown, and any bytes are a `T`; it is written whole before it is taken for one.
    unsafe {
        core::ptr::copy_nonoverlapping(window.pointer(), copy.as_mut_ptr(), 1);
        Ok(copy.assume_init())
    }
}
/// The `count` words that a window shows.
///
/// # Safety
/// Its caller, a trusted component, leaves them as they are.
pub unsafe fn shown<'call>(words: Alleged<'call, usize>, count: usize) -> Result<&'call [usize]> {
    // SAFETY: as for this function.
    Ok(unsafe { words.window(count)?.values() })
}

/// The name that a window shows.
pub fn name(shown: Alleged<Name>) -> Result<Name> {
    shown.name()
}
