//! Text, errors of others and of its own, messages of all macros that an extension has.
#![no_std]
extern crate alloc;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::{format, vec, vec::Vec};
use core::fmt::{self, Write as _};
use core::num::ParseIntError;
use core::str::Utf8Error;

#[derive(Debug)]
pub enum Error {
    Short { need: usize, have: usize },
    Number(ParseIntError),
    Text(Utf8Error),
}
impl From<ParseIntError> for Error {
    fn from(error: ParseIntError) -> Self {
        Error::Number(error)
    }
}
impl From<Utf8Error> for Error {
    fn from(error: Utf8Error) -> Self {
        Error::Text(error)
    }
}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Short { need, have } => write!(f, "need {need}, have {have:>4}"),
            Error::Number(error) => write!(f, "{error}"),
            Error::Text(error) => fmt::Display::fmt(error, f),
        }
    }
}
impl core::error::Error for Error {}
pub fn sum(text: &[u8]) -> Result<u32, Error> {
    if text.is_empty() {
        return Err(Error::Short { need: 1, have: 0 });
    }
    let text = core::str::from_utf8(text)?;
    let mut sum = 0u32;
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        sum = sum.wrapping_add(part.parse::<u32>()?);
    }
    Ok(sum)
}
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> + '_ {
    text.split_whitespace().enumerate().filter(|(_, word)| word.chars().all(char::is_alphanumeric))
}
pub fn runs(text: &str) -> Vec<(char, usize)> {
    let mut letters = text.chars().peekable();
    let mut runs = Vec::new();
    while let Some(letter) = letters.next() {
        let mut length = 1;
        while letters.next_if_eq(&letter).is_some() {
            length += 1;
        }
        runs.push((letter, length));
    }
    runs
}
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains('&') { Cow::Owned(text.replace('&', "&amp;")) } else { Cow::Borrowed(text) }
}
pub fn listed(values: &[u32]) -> String {
    let mut list = String::new();
    for value in values {
        let _ = write!(list, "{value:#06x} ");
    }
    writeln!(&mut list, "= {}", values.iter().copied().fold(0u32, u32::wrapping_add)).unwrap();
    list + &format!("{:?}", vec![1, 2, 3]) + &vec![0u8; 2].len().to_string()
}
pub fn tripled(value: Option<u32>) -> u32 {
    let Some(value) = value else { panic!("none of {}", 3) };
    assert!(value < 1000, "{value} is large");
    debug_assert_ne!(value, 999);
    match value {
        998 => todo!(),
        997 => unimplemented!("of {value}"),
        996 => unreachable!(),
        _ => value.checked_mul(3).expect("it is small"),
    }
}
