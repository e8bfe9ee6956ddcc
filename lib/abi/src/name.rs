//! Names of portals and components, as they cross windows: printable ASCII, at most 63 characters, 0-terminated.

use crate::Error;
use crate::address::PAGE;
use crate::nucleus::NAMELEN;

const WORDS: usize = NAMELEN / 8;
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// A name, filled up with zeros, where a window shows all of it.
#[repr(C, align(64))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name([u64; WORDS]);

/// The lowest bit of `word`'s first zero byte; 0: it has none.
#[inline(always)]
fn first_zero(word: u64) -> u64 {
    // Exact up to the first zero byte.
    let zeros = word.wrapping_sub(LOW) & !word & HIGH;
    (zeros & zeros.wrapping_neg()) >> 7
}
/// Bytes of `word`, from the first, that are not 0: 0 to 8.
#[inline(always)]
fn length(word: u64) -> usize {
    match first_zero(word) {
        0 => 8,
        bit => bit.trailing_zeros() as usize / 8,
    }
}
/// Whether all bytes of `word` are `!` to `~`.
#[inline(always)]
fn graphic(word: u64) -> bool {
    // Below 0x80, not below 0x21, not 0x7f.
    (word | (word.wrapping_add(LOW)) | !(word.wrapping_add((0x80 - 0x21) * LOW))) & HIGH == 0
}

/// Up to 64 bytes where a window shows all of them, as whoever lends them has them: a name that nobody has looked at yet, with a 0 behind it, or a
/// piece of something longer.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Short {
    bytes: [u8; NAMELEN],
    length: usize,
}
impl Short {
    /// A name. `EINVAL`: it is too long.
    pub fn name(text: &str) -> Result<Short, Error> {
        if text.len() < NAMELEN { Ok(Short::of(text.as_bytes())) } else { Err(Error::EINVAL) }
    }
    /// The first 64 of `bytes`.
    pub fn of(bytes: &[u8]) -> Short {
        let mut short = Short { bytes: [0; NAMELEN], length: bytes.len().min(NAMELEN) };
        short.bytes[..short.length].copy_from_slice(&bytes[..short.length]);
        short
    }
    /// All 64, filled up with zeros.
    pub fn padded(&self) -> &[u8; NAMELEN] {
        &self.bytes
    }
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Name {
    const NONE: Name = Name([0; WORDS]);

    /// Takes words up to the one with the terminating 0, where there were zeros. `EINVAL`: there is none, or what precedes it is
    /// not a name.
    #[inline(always)]
    fn fill(&mut self, mut word: impl FnMut(usize) -> u64) -> Result<(), Error> {
        for (n, place) in self.0.iter_mut().enumerate() {
            let w = word(n);
            // All ones where there is no zero byte.
            let end = first_zero(w);
            let mask = end.wrapping_sub(1);
            let filled = w & mask;
            if !graphic(filled | ((0x21 * LOW) & !mask)) {
                return Err(Error::EINVAL);
            }
            *place = filled;
            if end != 0 {
                return if n == 0 && end == 1 { Err(Error::EINVAL) } else { Ok(()) };
            }
        }
        Err(Error::EINVAL)
    }
    /// The name at the start of `bytes`. `EINVAL`: no 0 follows it, it is empty, or has other than printable characters.
    pub fn new(bytes: &[u8]) -> Result<Name, Error> {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
        let mut name = Name::NONE;
        name.fill(|n| (0..8).rev().fold(0, |word, b| word << 8 | byte(8 * n + b) as u64))?;
        Ok(name)
    }
    /// The name `text`, which needs no 0. `EINVAL`: as above, or it is too long.
    pub fn of(text: &str) -> Result<Name, Error> {
        let mut bytes = [0; NAMELEN];
        bytes.get_mut(..text.len()).ok_or(Error::EINVAL)?.copy_from_slice(text.as_bytes());
        // A 0 in it would end it early.
        Name::new(&bytes).and_then(|name| if name.len() == text.len() { Ok(name) } else { Err(Error::EINVAL) })
    }
    /// Calls `with` with the name at `address`, which a window shows to the end of its page.
    ///
    /// # Safety
    /// The page of `address` can be read.
    #[inline(always)]
    pub unsafe fn with<R>(address: usize, with: impl FnOnce(&Name) -> Result<R, Error>) -> Result<R, Error> {
        let room = PAGE - address % PAGE;
        let mut name = Name::NONE;
        if address.is_multiple_of(8) && room >= NAMELEN {
            // SAFETY: aligned, and in the page.
            name.fill(|n| unsafe { (address as *const u64).add(n).read_volatile() })?;
        } else {
            // SAFETY: as the caller says.
            name = unsafe { Name::read_bytes(address, room) }?;
        }
        with(&name)
    }
    /// The name at `address`, likewise.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    pub unsafe fn read(address: usize) -> Result<Name, Error> {
        // SAFETY: as the caller says.
        unsafe { Name::with(address, |name| Ok(*name)) }
    }
    /// The name at `address`, of which `room` bytes can be read.
    ///
    /// # Safety
    /// They can.
    #[inline(never)]
    unsafe fn read_bytes(address: usize, room: usize) -> Result<Name, Error> {
        let mut copy = [b' '; NAMELEN];
        for (n, byte) in copy.iter_mut().enumerate().take(room) {
            // SAFETY: in the page.
            *byte = unsafe { (address as *const u8).add(n).read_volatile() };
        }
        Name::new(&copy)
    }
    pub fn bytes(&self) -> &[u8; NAMELEN] {
        // SAFETY: plain words as plain bytes, of the same size.
        unsafe { &*(&raw const self.0).cast() }
    }
    /// Characters.
    #[inline(always)]
    pub fn len(&self) -> usize {
        let mut bytes = 0;
        for &word in &self.0 {
            let here = length(word);
            bytes += here;
            if here < 8 {
                break;
            }
        }
        bytes
    }
    /// Never: there is no empty name.
    pub fn is_empty(&self) -> bool {
        false
    }
    pub fn text(&self) -> &str {
        // SAFETY: printable ASCII only.
        unsafe { core::str::from_utf8_unchecked(&self.bytes()[..self.len()]) }
    }
    /// For lending it through a window.
    pub fn address(&self) -> usize {
        &raw const self.0 as usize
    }
    /// Its words, of eight characters each, the first in the lowest byte.
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_lengths_are_read() {
        for count in 1..NAMELEN {
            let text: String = (0..count).map(|n| (b'!' + (n * 7 % 94) as u8) as char).collect();
            let name = Name::of(&text).unwrap();
            assert_eq!((name.text(), name.len()), (text.as_str(), count));
            #[repr(align(4096))]
            struct Page([u8; PAGE]);
            let mut page = Page([b' '; PAGE]);
            for at in [0, 8, 3, 64, PAGE - count - 1] {
                page.0[at..at + count].copy_from_slice(text.as_bytes());
                page.0[at + count] = 0;
                // SAFETY: in `page`.
                assert_eq!(unsafe { Name::read(page.0.as_ptr() as usize + at) }, Ok(name), "{count} at {at}");
                page.0[at..at + count + 1].fill(b' ');
            }
        }
    }
    #[test]
    fn a_short_one_is_cut_or_refused_and_ends_with_zeros() {
        assert_eq!(Short::name(&"a".repeat(NAMELEN)).err(), Some(Error::EINVAL));
        let longest = "a".repeat(NAMELEN - 1);
        assert_eq!(Name::new(Short::name(&longest).unwrap().padded()).unwrap().text(), longest);
        assert_eq!(Short::of(&[7; 2 * NAMELEN]).bytes(), [7; NAMELEN]);
        let few = Short::of(b"few");
        assert_eq!((few.bytes(), few.padded()[3..].iter().max()), (&b"few"[..], Some(&0)));
        assert_eq!(&raw const few as usize % NAMELEN, 0, "it does not cross a page boundary");
    }
    #[test]
    fn an_empty_name_is_refused() {
        assert_eq!(Name::of(""), Err(Error::EINVAL));
    }
    #[test]
    fn a_name_without_an_end_is_refused() {
        assert_eq!(Name::new(&[b'a'; NAMELEN]), Err(Error::EINVAL));
        assert_eq!(Name::new(b"abc"), Err(Error::EINVAL));
    }
    #[test]
    fn characters_that_are_not_printable_are_refused() {
        for byte in 1..=255u8 {
            for at in 0..9 {
                let mut bytes = *b"console.write\0\0\0";
                bytes[at] = byte;
                assert_eq!(Name::new(&bytes).is_ok(), byte.is_ascii_graphic(), "{byte} at {at}");
            }
        }
    }
}
