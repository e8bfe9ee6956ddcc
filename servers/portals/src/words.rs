//! What clients pass through windows: names, specifications, structures. Copied before it is looked at.

use abi::Error;
use abi::address::PAGE;
use abi::nucleus::NAMELEN;
use pebble::Result;

/// Whether `bytes` from `address` lie in the one page that a window shows, aligned to `align`.
fn in_window(address: usize, bytes: usize, align: usize) -> Result<()> {
    if address % PAGE + bytes <= PAGE && address % align == 0 { Ok(()) } else { Err(Error::EINVAL) }
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

/// A name: 0-terminated, printable ASCII, in a buffer that can itself be lent through a window.
#[repr(align(64))]
pub struct Name([u8; NAMELEN]);
impl Name {
    pub fn new(bytes: &[u8]) -> Result<Name> {
        let mut name = Name([0; NAMELEN]);
        let length = bytes.iter().position(|&b| b == 0).ok_or(Error::EINVAL)?;
        if length == 0 || length >= NAMELEN || !bytes[..length].iter().all(u8::is_ascii_graphic) {
            return Err(Error::EINVAL);
        }
        name.0[..length].copy_from_slice(&bytes[..length]);
        Ok(name)
    }
    /// The name at `address` in a window: as many bytes as its page has.
    pub fn read(address: usize) -> Result<Name> {
        let room = (PAGE - address % PAGE).min(NAMELEN);
        // SAFETY: up to the end of the page that is open for this call.
        let bytes = unsafe { core::slice::from_raw_parts(address as *const u8, room) };
        let mut copy = [0xff; NAMELEN];
        copy[..room].copy_from_slice(bytes);
        Name::new(&copy)
    }
    pub fn text(&self) -> &str {
        abi::section::text(&self.0)
    }
    pub fn bytes(&self) -> &[u8; NAMELEN] {
        &self.0
    }
    /// For lending it through a window.
    pub fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }
}
/// The specification in `bytes`: what precedes the first 0; all of it if there is none.
pub fn specification(bytes: &[u8]) -> Result<&str> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).map_err(|_| Error::EINVAL)
}
