//! How files end that are signed: extensions and updates.
//!
//! They begin with eight bytes that say what they are, and four, little endian, that say how long they are; they end with the identity of the signer's key and
//! the signature of all that is before it. So nothing else of a file has to be looked at before it is known whose it is.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use alloc::vec::Vec;

/// Bytes of the key's identity and of the signature.
pub const KEY: usize = 8;
pub const SIGNATURE: usize = 64;

/// What files of one kind have in common.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Their first bytes.
    pub magic: [u8; 8],
    /// Bytes that each has besides its seal; 12 or more.
    pub least: usize,
    /// Bytes that none has more of.
    pub most: usize,
}
impl Form {
    /// How long a file says it is, of which that is the beginning; `None`: it has not said it yet.
    pub fn length(&self, beginning: &[u8]) -> Result<Option<usize>, Unsealed> {
        let known = beginning.len().min(self.magic.len());
        if beginning[..known] != self.magic[..known] {
            return Err(Unsealed::Magic);
        }
        if beginning.len() < 12 {
            return Ok(None);
        }
        let length = u32_at(beginning, 8) as usize;
        let may = self.least + KEY + SIGNATURE..=self.most;
        if may.contains(&length) { Ok(Some(length)) } else { Err(Unsealed::Length) }
    }
}
/// Why a file has no seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsealed {
    /// It begins as none of that form.
    Magic,
    /// It is not as long as it says, or longer or shorter than any of that form.
    Length,
}
/// How a file ends: by whom it is signed.
#[derive(Clone, Copy, Debug)]
pub struct Seal<'a> {
    /// What is signed.
    pub signed: &'a [u8],
    /// Which key it says it is signed with.
    pub key: [u8; KEY],
    pub signature: [u8; SIGNATURE],
}
impl<'a> Seal<'a> {
    /// Of a file that begins as one of that form, and is as long as it says.
    pub fn of(file: &'a [u8], form: &Form) -> Result<Seal<'a>, Unsealed> {
        if file.len() < form.magic.len() {
            return Err(Unsealed::Magic);
        }
        if form.length(file)? != Some(file.len()) {
            return Err(Unsealed::Length);
        }
        let (signed, signature) = file.split_last_chunk().ok_or(Unsealed::Length)?;
        let (_, key) = signed.split_last_chunk().ok_or(Unsealed::Length)?;
        Ok(Seal { signed, key: *key, signature: *signature })
    }
}
/// A file with another key's identity, and what signs it: `sign` gets all that is before the signature.
pub fn signed<E>(
    mut file: Vec<u8>,
    key: [u8; KEY],
    sign: impl FnOnce(&[u8]) -> Result<[u8; SIGNATURE], E>,
) -> Result<Vec<u8>, E> {
    file.truncate(file.len().saturating_sub(KEY + SIGNATURE));
    file.extend(key);
    let signature = sign(&file)?;
    file.extend(signature);
    Ok(file)
}
/// Bytes and numbers, little endian, at a place that there is.
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array_at(bytes, at))
}
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}
/// A name in such a file, of small letters, digits, hyphens and low lines; nothing where it is none.
pub fn name(bytes: &[u8]) -> Option<&str> {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(byte);
    // None is taken for an option of a command.
    let is_name = bytes.first().is_some_and(|&first| first != b'-') && bytes.iter().all(is_letter);
    core::str::from_utf8(bytes).ok().filter(|_| is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form = Form { magic: *b"PBLTST01", least: 12, most: 120 };

    fn file(bytes: usize) -> Vec<u8> {
        let mut file = FORM.magic.to_vec();
        file.extend((bytes as u32).to_le_bytes());
        file.resize(bytes, 7);
        file
    }
    #[test]
    fn a_seal_is_the_end_of_a_file() {
        let file = signed(file(100), [1; KEY], |bytes| Ok::<_, ()>([bytes.len() as u8; SIGNATURE])).unwrap();
        let seal = Seal::of(&file, &FORM).unwrap();
        assert_eq!((seal.signed, seal.key, seal.signature), (&file[..36], [1; KEY], [36; SIGNATURE]));
    }
    #[test]
    fn another_beginning_is_refused() {
        let file = file(100);
        let other = Form { magic: *b"PBLTST02", ..FORM };
        assert_eq!(Seal::of(&file, &other).unwrap_err(), Unsealed::Magic);
        assert_eq!(Seal::of(&file[..7], &FORM).unwrap_err(), Unsealed::Magic);
    }
    #[test]
    fn another_length_than_it_says_or_than_may_be_is_refused() {
        for bytes in [83, 121] {
            assert_eq!(Seal::of(&file(bytes), &FORM).unwrap_err(), Unsealed::Length, "{bytes}");
        }
        assert!([84, 120].into_iter().all(|bytes| Seal::of(&file(bytes), &FORM).is_ok()));
        let file = file(100);
        for bytes in [8, 11, 12, 99] {
            assert_eq!(Seal::of(&file[..bytes], &FORM).unwrap_err(), Unsealed::Length, "{bytes}");
        }
    }
    #[test]
    fn names_are_no_options_and_no_paths() {
        assert!([&b"a"[..], b"0-_", b"web-2"].iter().all(|text| name(text).is_some()));
        assert!(
            [&b""[..], b"-a", b"A", b"a/b", b"a b", b"a\0", "ä".as_bytes()].iter().all(|text| name(text).is_none())
        );
    }
}
