//! Files that clients give, piece by piece.
//!
//! A client has one at a time, and so has an account: nobody keeps others from theirs by how many he begins. What one has begun and left is forgotten when somebody of
//! its account begins anew. There is memory for what has come, and for no more than a bound of all together.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod said;
#[cfg(target_os = "none")]
pub mod served;

pub use said::Said;

use abi::Error;
use alloc::vec::Vec;
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
pub struct Uploads {
    all: Vec<Upload>,
    /// Most bytes of a file, and of all together.
    most: usize,
    together: usize,
}
impl Uploads {
    /// None, of files of `most` bytes at most, and `together` of all.
    pub const fn new(most: usize, together: usize) -> Uploads {
        Uploads { all: Vec::new(), most, together }
    }
    /// A client begins a file of so many bytes; what its account has begun is forgotten. `EINVAL`: none is so long; `ENOMEM`.
    pub fn begin(&mut self, whose: Whose, bytes: usize) -> Result<(), Error> {
        self.all.retain(|upload| upload.whose.account != whose.account);
        if bytes > self.most {
            return Err(Error::EINVAL);
        }
        self.all.try_push(Upload { whose, bytes, file: Vec::new() })
    }
    /// Where the client's file is among them. `ENOENT`: it has begun none, or another of its account has.
    fn at(&self, whose: Whose) -> Result<usize, Error> {
        self.all.iter().position(|upload| upload.whose == whose).ok_or(Error::ENOENT)
    }
    /// The next bytes of it. `EINVAL`: they are more than it said; `ENOMEM`: there is no room for them beside the others, and all of it is forgotten.
    pub fn add(&mut self, whose: Whose, bytes: &[u8]) -> Result<(), Error> {
        let at = self.at(whose)?;
        let upload = &mut self.all[at];
        if bytes.len() > upload.bytes - upload.file.len() {
            return Err(Error::EINVAL);
        }
        let fits = self.all.iter().map(|upload| upload.file.len()).sum::<usize>() + bytes.len() <= self.together;
        let upload = &mut self.all[at];
        if !fits || upload.file.try_reserve(bytes.len()).is_err() {
            self.all.swap_remove(at);
            return Err(Error::ENOMEM);
        }
        upload.file.extend_from_slice(bytes);
        Ok(())
    }
    /// The whole file, which is forgotten here. `ENOENT`; `EINVAL`: it is not whole.
    pub fn take(&mut self, whose: Whose) -> Result<Vec<u8>, Error> {
        let Upload { bytes, file, .. } = self.all.swap_remove(self.at(whose)?);
        if file.len() == bytes { Ok(file) } else { Err(Error::EINVAL) }
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }
    /// Forgets what clients have begun of whom this is not so.
    pub fn keep(&mut self, lives: impl Fn(u64) -> bool) {
        self.all.retain(|upload| lives(upload.whose.client));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 100;
    const TOGETHER: usize = 150;

    fn whose(client: u64, account: usize) -> Whose {
        Whose { client, account }
    }
    #[test]
    fn a_file_comes_in_pieces() {
        let mut uploads = Uploads::new(MOST, TOGETHER);
        uploads.begin(whose(1, 1), 5).unwrap();
        uploads.begin(whose(2, 2), 1).unwrap();
        uploads.add(whose(1, 1), b"abc").unwrap();
        assert_eq!(uploads.add(whose(1, 1), b"def"), Err(Error::EINVAL), "more than it said");
        uploads.add(whose(1, 1), b"de").unwrap();
        assert_eq!(uploads.take(whose(1, 1)), Ok(b"abcde".to_vec()));
        assert_eq!(uploads.take(whose(1, 1)), Err(Error::ENOENT), "it is had once");
        assert_eq!(uploads.take(whose(2, 2)), Err(Error::EINVAL), "it is not whole");
    }
    #[test]
    fn nobody_has_a_place_of_others() {
        let mut uploads = Uploads::new(MOST, TOGETHER);
        uploads.begin(whose(1, 1), 1).unwrap();
        assert_eq!(uploads.add(whose(2, 1), b"x"), Err(Error::ENOENT), "another's of its account");
        assert_eq!(uploads.add(whose(1, 2), b"x"), Err(Error::ENOENT), "of another account");
        for client in 2..100 {
            uploads.begin(whose(client, 1), 1).unwrap();
        }
        assert_eq!(uploads.count(), 1, "an account has one");
        uploads.begin(whose(7, 3), 1).unwrap();
        uploads.keep(|client| client != 99);
        assert_eq!(uploads.count(), 1, "who has ended has none");
        assert_eq!(uploads.begin(whose(1, 1), MOST + 1), Err(Error::EINVAL));
    }
    #[test]
    fn what_has_come_is_no_more_than_there_is_room_for() {
        let mut uploads = Uploads::new(MOST, TOGETHER);
        for account in 1..=3 {
            uploads.begin(whose(account as u64, account), MOST).unwrap();
        }
        uploads.add(whose(1, 1), &[1; 100]).unwrap();
        uploads.add(whose(2, 2), &[2; 50]).unwrap();
        assert_eq!(uploads.add(whose(3, 3), &[3]), Err(Error::ENOMEM));
        assert_eq!(uploads.add(whose(3, 3), &[3]), Err(Error::ENOENT), "it is forgotten");
        assert_eq!(uploads.take(whose(1, 1)), Ok(vec![1; 100]));
        uploads.add(whose(2, 2), &[2; 50]).unwrap();
    }
}
