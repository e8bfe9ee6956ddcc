//! Whose signed files a system takes: texts that its image has, written where it is built and read by who takes the files.
//!
//! ```text
//! compiler 3f0c…            what the files must have been made for or by, in 64 digits, behind a word that says which
//! key 8a71… *               a public key, and what its files may be about
//! key 00d5… packets files
//! revoked 91bb…             one whose files are refused
//! ```
#![cfg_attr(not(test), no_std)]
#![cfg_attr(target_os = "none", feature(allocator_api))]

extern crate alloc;

#[cfg(target_os = "none")]
pub mod image;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Write};
use ring::digest::{SHA256, digest};
use ring::signature::{ED25519, UnparsedPublicKey};
use seal::{KEY, Seal};

/// Most keys.
pub const MOST: usize = 32;

/// SHA-256 of what files must have been made for or by.
pub type Digest = [u8; 32];

/// What one system takes of files of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The text's path in the image.
    pub path: &'static str,
    /// The word before the digest.
    pub word: &'static str,
}
/// Extensions, which must have been made by a compiler.
pub const EXTENSIONS: Kind = Kind { path: "extension.keys", word: "compiler" };
/// Updates of components, which must have been made for a system.
pub const UPDATES: Kind = Kind { path: "update.keys", word: "system" };

/// What stands for all there is: it is no name.
const ALL: &str = "*";

/// A public key: Ed25519 (RFC 8032).
pub type Public = [u8; 32];

/// What a key may sign for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signs {
    All,
    /// Files that are about these and nothing else: extensions by the interfaces that they name, updates by their components.
    Named(Vec<String>),
    /// Nothing any more.
    Revoked,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub public: Public,
    pub signs: Signs,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// What all files must have been made for or by.
    pub made: Digest,
    /// Each once.
    pub keys: Vec<Key>,
}

/// What is wrong with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Line `.0`, from 1 on, is none of the three kinds.
    Line(usize),
    /// The key of line `.0` is that of a line before it.
    Twice(usize),
    /// There are more than [`MOST`].
    TooMany,
    /// No line, or more than one, says what files must have been made for or by.
    Made,
}
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Line(at) => write!(f, "line {at} is no key, and not what files were made for"),
            Error::Twice(at) => write!(f, "the key of line {at} is there twice"),
            Error::TooMany => write!(f, "it has more than {MOST} keys"),
            Error::Made => write!(f, "it has not one line that says what files were made for"),
        }
    }
}
impl core::error::Error for Error {}

/// 32 bytes in hexadecimal.
pub fn bytes(digits: &str) -> Option<[u8; 32]> {
    let mut all = [0; 32];
    if digits.len() != 2 * all.len() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in all.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(all)
}
/// Bytes in hexadecimal.
struct Digits<'a>(&'a [u8]);
impl Display for Digits<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
/// What the words behind a key say.
fn signs<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Signs> {
    let first = words.next()?;
    if first == ALL {
        return words.next().is_none().then_some(Signs::All);
    }
    let names = core::iter::once(first).chain(words);
    let names = names.map(|name| seal::name(name.as_bytes()).map(String::from));
    names.collect::<Option<Vec<String>>>().map(Signs::Named)
}
impl Keys {
    /// Reads a text of that kind.
    pub fn parse(text: &str, of: Kind) -> Result<Keys, Error> {
        let (mut made, mut keys) = (None, Vec::<Key>::new());
        for (at, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line)) {
            let mut words = line.split(' ');
            let (kind, digits) = (words.next(), words.next().and_then(bytes));
            let digits = digits.ok_or(Error::Line(at))?;
            let signs = match kind {
                Some(word) if word == of.word && words.next().is_none() => {
                    if made.replace(digits).is_some() {
                        return Err(Error::Made);
                    }
                    continue;
                }
                Some("key") => signs(words).ok_or(Error::Line(at))?,
                Some("revoked") if words.next().is_none() => Signs::Revoked,
                _ => return Err(Error::Line(at)),
            };
            if keys.iter().any(|key| key.public == digits) {
                return Err(Error::Twice(at));
            }
            keys.push(Key { public: digits, signs });
        }
        if keys.len() > MOST {
            return Err(Error::TooMany);
        }
        Ok(Keys { made: made.ok_or(Error::Made)?, keys })
    }
}
impl Keys {
    /// The text that [`Keys::parse`] reads.
    pub fn text(&self, of: Kind) -> String {
        let mut text = String::new();
        // A string takes all there is.
        let _ = self.write(of, &mut text);
        text
    }
    fn write(&self, of: Kind, to: &mut String) -> core::fmt::Result {
        write!(to, "{} {}", of.word, Digits(&self.made))?;
        for Key { public, signs } in &self.keys {
            let word = if *signs == Signs::Revoked { "revoked" } else { "key" };
            write!(to, "\n{word} {}", Digits(public))?;
            match signs {
                Signs::All => write!(to, " {ALL}")?,
                Signs::Named(names) => names.iter().try_for_each(|name| write!(to, " {name}"))?,
                Signs::Revoked => {}
            }
        }
        to.write_char('\n')
    }
    /// What the key may sign for with which a file is sealed.
    ///
    /// # Errors
    /// It is none of these, or the file was changed since.
    pub fn of(&self, seal: &Seal) -> Result<&Signs, Unsigned> {
        let key = self.keys.iter().find(|key| identity(&key.public) == seal.key).ok_or(Unsigned::UnknownKey)?;
        let holds = UnparsedPublicKey::new(&ED25519, &key.public).verify(seal.signed, &seal.signature);
        holds.map_err(|_| Unsigned::Signature)?;
        if key.signs == Signs::Revoked { Err(Unsigned::RevokedKey) } else { Ok(&key.signs) }
    }
}
impl Signs {
    /// Whether a file may be about that.
    pub fn may(&self, name: &str) -> bool {
        match self {
            Signs::All => true,
            Signs::Named(names) => names.iter().any(|may| may == name),
            Signs::Revoked => false,
        }
    }
}
/// Why a file is nobody's whose key is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsigned {
    UnknownKey,
    RevokedKey,
    /// The signature is not of this file.
    Signature,
}
impl Display for Unsigned {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Unsigned::UnknownKey => "it is signed with a key that this system does not know",
            Unsigned::RevokedKey => "it is signed with a key that was revoked",
            Unsigned::Signature => "its signature does not hold: it was changed after it was signed",
        })
    }
}
/// What a file names a key by: the first bytes of its digest.
pub fn identity(public: &[u8]) -> [u8; KEY] {
    let mut identity = [0; KEY];
    identity.copy_from_slice(&digest(&SHA256, public).as_ref()[..KEY]);
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(word: &str, byte: u8, rest: &str) -> String {
        alloc::format!("{word} {}{rest}\n", alloc::format!("{byte:02x}").repeat(32))
    }
    #[test]
    fn what_is_written_is_read() {
        // An interface may be called so.
        let keys = [Signs::All, Signs::Named(["packets", "all"].map(String::from).to_vec()), Signs::Revoked];
        let keys = keys.into_iter().zip(1..).map(|(signs, n)| Key { public: [n; 32], signs }).collect();
        let keys = Keys { made: [0xab; 32], keys };
        let expected = line("compiler", 0xab, "") + &line("key", 1, " *") + &line("key", 2, " packets all");
        assert_eq!(keys.text(EXTENSIONS), expected + &line("revoked", 3, ""));
        assert_eq!(Keys::parse(&keys.text(EXTENSIONS), EXTENSIONS), Ok(keys));
    }
    #[test]
    fn a_line_that_is_none_is_refused_by_its_number() {
        let compiler = line("compiler", 1, "");
        for bad in [
            "",
            "key",
            "key 00 *",
            "revoked",
            &line("key", 2, ""),
            &line("key", 2, " "),
            &line("key", 2, "  *"),
            &line("key", 2, " * files"),
            &line("key", 2, " Files"),
            &line("revoked", 2, " *"),
            &line("keys", 2, " *"),
            &line("compiler", 2, " *"),
            &alloc::format!("key +{}", &line("", 0x11, " *")[2..]),
        ] {
            let text = alloc::format!("{compiler}{}\n", bad.trim_end_matches('\n'));
            assert_eq!(Keys::parse(&text, EXTENSIONS), Err(Error::Line(2)), "{text}");
        }
    }
    #[test]
    fn a_key_is_there_once() {
        let text = line("compiler", 1, "") + &line("key", 2, " *") + &line("revoked", 2, "");
        assert_eq!(Keys::parse(&text, EXTENSIONS), Err(Error::Twice(3)));
    }
    #[test]
    fn one_line_says_what_files_were_made_for() {
        assert_eq!(Keys::parse("", EXTENSIONS), Err(Error::Made));
        assert_eq!(Keys::parse(&line("key", 2, " *"), EXTENSIONS), Err(Error::Made));
        assert_eq!(Keys::parse(&line("compiler", 1, "").repeat(2), EXTENSIONS), Err(Error::Made));
    }
    #[test]
    fn more_keys_than_there_may_be_are_refused() {
        let keys: String = (0..=MOST as u8).map(|n| line("key", n, " *")).collect();
        assert_eq!(Keys::parse(&(line("compiler", 1, "") + &keys), EXTENSIONS), Err(Error::TooMany));
    }
}
