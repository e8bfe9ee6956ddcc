//! Writing: what a file is made of, and its bytes.

use crate::{Digest, Error, MAGIC, Update};
use abi::address::PAGE;
use abi::section::{NAME, fitted};
use alloc::vec::Vec;
use seal::{KEY, SIGNATURE};

/// A part of an image: pages with the same rights.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Its first address, the beginning of a page.
    pub va: u64,
    /// Its first bytes; what is behind them is zero.
    pub bytes: &'a [u8],
    pub memory_bytes: u64,
    /// `abi::rights`.
    pub rights: u64,
}
/// What a file is made of.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The component that it is for.
    pub name: &'a str,
    pub version: u64,
    pub isolation: u32,
    pub system: Digest,
    pub entry: u64,
    /// Where its heap begins, at a page.
    pub heap: u64,
    /// By their addresses.
    pub segments: &'a [Part<'a>],
    /// Patterns of the names that it opens.
    pub opens: &'a [&'a str],
}
impl Parts<'_> {
    /// The file, signed by nobody: with a key and a signature of zeros. An error is one that [`Update::parse`] would have.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let opens: usize = self.opens.iter().map(|name| name.len() + 1).sum();
        let name: [u8; NAME] = fitted(self.name).ok_or(Error::Name)?;
        let mut file = Vec::new();
        file.extend(MAGIC);
        // Its length, when it is known.
        file.extend(0u32.to_le_bytes());
        file.extend(self.isolation.to_le_bytes());
        file.extend(self.version.to_le_bytes());
        file.extend(self.system);
        file.extend(name);
        file.extend([self.entry, self.heap].map(u64::to_le_bytes).as_flattened());
        for number in [self.segments.len(), opens] {
            file.extend(u32::try_from(number).map_err(|_| Error::Length)?.to_le_bytes());
        }
        for part in self.segments {
            let numbers = [part.va, part.bytes.len() as u64, part.memory_bytes, part.rights];
            numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
        }
        for name in self.opens {
            file.extend(name.bytes());
            file.push(b'\n');
        }
        file.resize(file.len().next_multiple_of(PAGE), 0);
        for part in self.segments {
            file.extend(part.bytes);
            file.resize(file.len().next_multiple_of(PAGE), 0);
        }
        file.resize(file.len() + KEY + SIGNATURE, 0);
        let whole = u32::try_from(file.len()).map_err(|_| Error::Length)?;
        file[MAGIC.len()..MAGIC.len() + 4].copy_from_slice(&whole.to_le_bytes());
        Update::parse(&file)?;
        Ok(file)
    }
}
