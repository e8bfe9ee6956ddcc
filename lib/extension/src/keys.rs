//! Whose extensions a system links in: a text that its image has, written where it is built and read by the linker.
//!
//! ```text
//! compiler 3f0c…            the one that extensions must have been made by, in 64 digits
//! key 8a71… *               a public key, and the interfaces that its extensions may name
//! key 00d5… packets files
//! revoked 91bb…             one whose extensions are refused
//! ```

use crate::{Digest, is_name};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Write};

/// Its path in the image.
pub const PATH: &str = "extension.keys";
/// Most keys.
pub const MOST: usize = 32;

/// What stands for all interfaces: it is no name.
const ALL: &str = "*";

/// A public key: Ed25519 (RFC 8032).
pub type Public = [u8; 32];

/// What a key may sign for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signs {
    All,
    /// Extensions that name these interfaces and no others.
    Interfaces(Vec<String>),
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
    /// What all extensions must have been made by.
    pub compiler: Digest,
    /// Each once.
    pub keys: Vec<Key>,
}

/// What is wrong with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Line `at`, from 1 on, is none of the three kinds.
    Line(usize),
    /// The key of that line is that of a line before it.
    Twice(usize),
    /// There are more than [`MOST`].
    TooMany,
    /// No line, or more than one, says which compiler.
    Compiler,
}
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Line(at) => write!(f, "line {at} is no key, and no compiler"),
            Error::Twice(at) => write!(f, "the key of line {at} is there twice"),
            Error::TooMany => write!(f, "it has more than {MOST} keys"),
            Error::Compiler => write!(f, "it has not one line that says which compiler"),
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
fn write_bytes(f: &mut Formatter<'_>, bytes: &[u8]) -> core::fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
/// What the words behind a key say.
fn signs<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Signs> {
    let first = words.next()?;
    if first == ALL {
        return words.next().is_none().then_some(Signs::All);
    }
    let names = core::iter::once(first).chain(words);
    let names = names.map(|name| is_name(name).then(|| name.into()));
    names.collect::<Option<Vec<String>>>().map(Signs::Interfaces)
}
impl Keys {
    pub fn parse(text: &str) -> Result<Keys, Error> {
        let (mut compiler, mut keys) = (None, Vec::<Key>::new());
        for (at, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line)) {
            let mut words = line.split(' ');
            let (kind, digits) = (words.next(), words.next().and_then(bytes));
            let digits = digits.ok_or(Error::Line(at))?;
            let signs = match kind {
                Some("compiler") if words.next().is_none() => {
                    if compiler.replace(digits).is_some() {
                        return Err(Error::Compiler);
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
        Ok(Keys { compiler: compiler.ok_or(Error::Compiler)?, keys })
    }
}
impl Display for Keys {
    /// The text that [`Keys::parse`] reads.
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("compiler ")?;
        write_bytes(f, &self.compiler)?;
        for Key { public, signs } in &self.keys {
            f.write_str(if *signs == Signs::Revoked { "\nrevoked " } else { "\nkey " })?;
            write_bytes(f, public)?;
            match signs {
                Signs::All => write!(f, " {ALL}")?,
                Signs::Interfaces(names) => names.iter().try_for_each(|name| write!(f, " {name}"))?,
                Signs::Revoked => {}
            }
        }
        f.write_char('\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn line(word: &str, byte: u8, rest: &str) -> String {
        alloc::format!("{word} {}{rest}\n", alloc::format!("{byte:02x}").repeat(32))
    }
    #[test]
    fn what_is_written_is_read() {
        // An interface may be called so.
        let keys = [Signs::All, Signs::Interfaces(["packets", "all"].map(String::from).to_vec()), Signs::Revoked];
        let keys = keys.into_iter().zip(1..).map(|(signs, n)| Key { public: [n; 32], signs }).collect();
        let keys = Keys { compiler: [0xab; 32], keys };
        let expected = line("compiler", 0xab, "") + &line("key", 1, " *") + &line("key", 2, " packets all");
        assert_eq!(keys.to_string(), expected + &line("revoked", 3, ""));
        assert_eq!(Keys::parse(&keys.to_string()), Ok(keys));
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
            assert_eq!(Keys::parse(&text), Err(Error::Line(2)), "{text}");
        }
    }
    #[test]
    fn a_key_is_there_once() {
        let text = line("compiler", 1, "") + &line("key", 2, " *") + &line("revoked", 2, "");
        assert_eq!(Keys::parse(&text), Err(Error::Twice(3)));
    }
    #[test]
    fn one_line_says_which_compiler() {
        assert_eq!(Keys::parse(""), Err(Error::Compiler));
        assert_eq!(Keys::parse(&line("key", 2, " *")), Err(Error::Compiler));
        assert_eq!(Keys::parse(&line("compiler", 1, "").repeat(2)), Err(Error::Compiler));
    }
    #[test]
    fn more_keys_than_there_may_be_are_refused() {
        let keys: String = (0..=MOST as u8).map(|n| line("key", n, " *")).collect();
        assert_eq!(Keys::parse(&(line("compiler", 1, "") + &keys)), Err(Error::TooMany));
    }
}
