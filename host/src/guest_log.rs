//! What the guest left in its system log.

use abi::log::{BYTES, HEADER, Header, MAGIC};
use anyhow::{Result, bail};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The log, read from the file that was the guest's RAM.
#[derive(Debug, PartialEq, Eq)]
pub struct GuestLog {
    pub booted: bool,
    /// One of `abi::system::ended`; 0: the main program has not ended.
    pub ended: u64,
    pub status: i64,
    pub text: String,
}

/// Reads the log at `offset` of `ram`.
pub fn read(ram: &File, offset: u64) -> Result<GuestLog> {
    let mut bytes = vec![0; BYTES];
    ram.read_exact_at(&mut bytes, offset)?;
    parse(&bytes)
}
/// Reads it from its bytes in RAM.
pub fn parse(bytes: &[u8]) -> Result<GuestLog> {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    use std::mem::offset_of;
    if word(offset_of!(Header, magic)) != MAGIC {
        bail!("the guest's memory has no system log");
    }
    let length = word(offset_of!(Header, length)) as usize;
    let text = bytes.get(HEADER..HEADER + length.min(bytes.len() - HEADER)).unwrap_or(&[]);
    Ok(GuestLog {
        booted: word(offset_of!(Header, booted)) == 1,
        ended: word(offset_of!(Header, ended)),
        status: word(offset_of!(Header, status)) as i64,
        text: String::from_utf8_lossy(text).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }
    #[test]
    fn a_log_is_read() {
        let mut b = bytes(&[MAGIC, 1, 2, -13i64 as u64, 3]);
        b.extend_from_slice(b"hi\n...");
        assert_eq!(parse(&b).unwrap(), GuestLog { booted: true, ended: 2, status: -13, text: "hi\n".into() });
    }
    #[test]
    fn memory_without_a_log_is_refused() {
        assert!(parse(&bytes(&[0; 8])).is_err());
    }
    #[test]
    fn a_length_beyond_the_log_is_cut() {
        assert_eq!(parse(&bytes(&[MAGIC, 0, 0, 0, u64::MAX, 0])).unwrap().text.len(), 8);
    }
}
