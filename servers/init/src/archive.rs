//! Reading the archive that the image builder made.

use abi::archive::{File, Header, Image, MAGIC};
use abi::section::text;
use manifest::System;

/// The archive is not what the image builder makes.
#[derive(Debug, PartialEq, Eq)]
pub enum Malformed {
    Header,
    Images,
    System,
    Files,
}
/// An archive, checked.
pub struct Archive<'a> {
    pub images: &'a [Image],
    pub files: &'a [File],
    system: &'a [u8],
}
impl<'a> Archive<'a> {
    /// Reads the archive in `bytes`, which start at a page boundary.
    pub fn read(bytes: &'a [u8]) -> Result<Archive<'a>, Malformed> {
        if bytes.len() < size_of::<Header>() || !(bytes.as_ptr() as usize).is_multiple_of(8) {
            return Err(Malformed::Header);
        }
        // SAFETY: there are enough bytes, aligned; the structure is plain words.
        let header = unsafe { &*(bytes.as_ptr() as *const Header) };
        if header.magic != MAGIC {
            return Err(Malformed::Header);
        }
        let images = array(bytes, size_of::<Header>() as u64, header.images).ok_or(Malformed::Images)?;
        let files = array(bytes, header.files, header.file_count).ok_or(Malformed::Files)?;
        let end = header.system.checked_add(header.system_bytes).ok_or(Malformed::System)?;
        let system = bytes.get(header.system as usize..end as usize).ok_or(Malformed::System)?;
        Ok(Archive { images, files, system })
    }
    /// The system description.
    pub fn system(&self) -> Result<System, Malformed> {
        postcard::from_bytes(self.system).map_err(|_| Malformed::System)
    }
    /// The image called `name`, and where in the archive its record is.
    pub fn image(&self, name: &str) -> Option<(&'a Image, usize)> {
        let found = self.images.iter().enumerate().find(|(_, image)| text(&image.name) == name);
        found.map(|(n, image)| (image, size_of::<Header>() + n * size_of::<Image>()))
    }
}
/// `count` plain structures at `offset`.
fn array<T>(bytes: &[u8], offset: u64, count: u64) -> Option<&[T]> {
    let length = (count as usize).checked_mul(size_of::<T>())?;
    let end = (offset as usize).checked_add(length)?;
    let slice = bytes.get(offset as usize..end)?;
    if !(slice.as_ptr() as usize).is_multiple_of(align_of::<T>()) {
        return None;
    }
    // SAFETY: the slice has the bytes of `count` aligned `T`s, which are words and byte arrays.
    Some(unsafe { core::slice::from_raw_parts(slice.as_ptr() as *const T, count as usize) })
}

#[cfg(test)]
mod tests {
    use super::*;
    fn header(edit: impl FnOnce(&mut Header)) -> Vec<u64> {
        let mut h = Header { magic: MAGIC, images: 0, system: 48, system_bytes: 0, files: 48, file_count: 0 };
        edit(&mut h);
        vec![h.magic, h.images, h.system, h.system_bytes, h.files, h.file_count, 0, 0]
    }
    fn read(words: &[u64]) -> Result<usize, Malformed> {
        // SAFETY: the bytes of the words.
        let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr() as *const u8, words.len() * 8) };
        Archive::read(bytes).map(|a| a.images.len())
    }
    #[test]
    fn an_empty_archive_is_read() {
        assert_eq!(read(&header(|_| ())), Ok(0));
    }
    #[test]
    fn a_short_archive_is_refused() {
        assert_eq!(read(&[MAGIC]), Err(Malformed::Header));
    }
    #[test]
    fn a_wrong_magic_is_refused() {
        assert_eq!(read(&header(|h| h.magic = 1)), Err(Malformed::Header));
    }
    #[test]
    fn more_images_than_bytes_are_refused() {
        assert_eq!(read(&header(|h| h.images = 1)), Err(Malformed::Images));
        assert_eq!(read(&header(|h| h.images = u64::MAX)), Err(Malformed::Images));
    }
    #[test]
    fn a_description_outside_the_archive_is_refused() {
        assert_eq!(read(&header(|h| h.system = 1000)), Err(Malformed::System));
        assert_eq!(read(&header(|h| h.system_bytes = u64::MAX)), Err(Malformed::System));
    }
    #[test]
    fn a_description_that_is_cut_off_is_refused() {
        let words = header(|h| (h.system, h.system_bytes) = (0, 3));
        // SAFETY: the bytes of the words.
        let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr() as *const u8, words.len() * 8) };
        assert!(Archive::read(bytes).unwrap().system().is_err());
    }
    #[test]
    fn files_outside_the_archive_are_refused() {
        assert_eq!(read(&header(|h| h.files = 4096)), Err(Malformed::Files));
    }
}
