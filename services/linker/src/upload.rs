//! Files that clients give, piece by piece.
//!
//! A client has one at a time, and so has an account: nobody keeps others from theirs by how many he begins. What one has begun and left is forgotten when somebody of
//! its account begins anew.

use abi::Error;
use alloc::vec::Vec;
use extension::MOST_BYTES;
use fallible::TryPush;

/// A client, and the account that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose {
    pub client: u64,
    pub account: usize,
}
struct Upload {
    whose: Whose,
    /// How long it is to be.
    bytes: usize,
    file: Vec<u8>,
}
/// What clients have given so far.
#[derive(Default)]
pub struct Uploads(Vec<Upload>);
impl Uploads {
    pub const fn new() -> Uploads {
        Uploads(Vec::new())
    }
    /// A client begins a file of so many bytes; what its account has begun is forgotten. `EINVAL`: no extension is so long; `ENOMEM`.
    pub fn begin(&mut self, whose: Whose, bytes: usize) -> Result<(), Error> {
        self.0.retain(|upload| upload.whose.account != whose.account);
        if bytes > MOST_BYTES {
            return Err(Error::EINVAL);
        }
        let mut file = Vec::new();
        file.try_reserve_exact(bytes).map_err(|_| Error::ENOMEM)?;
        self.0.try_push(Upload { whose, bytes, file })
    }
    /// Where the client's file is among them. `ENOENT`: it has begun none, or another of its account has.
    fn at(&self, whose: Whose) -> Result<usize, Error> {
        self.0.iter().position(|upload| upload.whose == whose).ok_or(Error::ENOENT)
    }
    /// The next bytes of it. `EINVAL`: they are more than it said.
    pub fn add(&mut self, whose: Whose, bytes: &[u8]) -> Result<(), Error> {
        let at = self.at(whose)?;
        let upload = &mut self.0[at];
        if bytes.len() > upload.bytes - upload.file.len() {
            return Err(Error::EINVAL);
        }
        // There is room for all that it said.
        upload.file.extend_from_slice(bytes);
        Ok(())
    }
    /// The whole file, which is forgotten here. `ENOENT`; `EINVAL`: it is not whole.
    pub fn take(&mut self, whose: Whose) -> Result<Vec<u8>, Error> {
        let Upload { bytes, file, .. } = self.0.swap_remove(self.at(whose)?);
        if file.len() == bytes { Ok(file) } else { Err(Error::EINVAL) }
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
    /// Forgets what clients have begun of whom this is not so.
    pub fn keep(&mut self, lives: impl Fn(u64) -> bool) {
        self.0.retain(|upload| lives(upload.whose.client));
    }
}
