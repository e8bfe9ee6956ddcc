//! What clients pass through windows: names, specifications, structures. Copied before it is looked at.

use abi::Error;
use abi::address::PAGE;
use abi::name::Name;
use alloc::boxed::Box;
use pebble::Result;

/// Whether `bytes` from `address` lie in the one page that a window shows, aligned to `align`.
fn in_window(address: usize, bytes: usize, align: usize) -> Result<()> {
    if address % PAGE + bytes <= PAGE && address.is_multiple_of(align) { Ok(()) } else { Err(Error::EINVAL) }
}
/// Copies a `T` from a window.
pub fn read<T: Copy>(address: usize) -> Result<T> {
    in_window(address, size_of::<T>(), 8)?;
    // SAFETY: it lies in a page that is open for this call; the structures are plain words and bytes.
    Ok(unsafe { (address as *const T).read_unaligned() })
}
/// Copies a `T` to a window.
pub fn write<T: Copy>(address: usize, value: &T) -> Result<()> {
    in_window(address, size_of::<T>(), 8)?;
    // SAFETY: as above, and the window is a writable one.
    unsafe { (address as *mut T).write_unaligned(*value) };
    Ok(())
}
/// Copies a `T` of plain words, which fills a page, from a window to the heap.
pub fn boxed<T: Copy>(address: usize) -> Result<Box<T>> {
    in_window(address, size_of::<T>(), 8)?;
    let mut copy = Box::<T>::new_uninit();
    // SAFETY: as above; it is written whole before it is taken for a `T`.
    unsafe {
        core::ptr::copy_nonoverlapping(address as *const T, copy.as_mut_ptr(), 1);
        Ok(copy.assume_init())
    }
}
/// Copies words to a window, where there is room for `room` of them.
pub fn write_all(address: usize, words: &[usize], room: usize) -> Result<()> {
    if words.len() > room {
        return Err(Error::EWINDOW);
    }
    in_window(address, size_of_val(words), 8)?;
    // SAFETY: as above.
    unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), address as *mut usize, words.len()) };
    Ok(())
}

/// The name at `address` in a window.
pub fn name(address: usize) -> Result<Name> {
    // SAFETY: a page that is open for this call.
    unsafe { Name::read(address) }
}
/// The specification in `bytes`: what precedes the first 0; all of it if there is none.
pub fn specification(bytes: &[u8]) -> Result<&str> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).map_err(|_| Error::EINVAL)
}
