//! Impls for types with lifetimes: left out, declared, derived, static.
#![no_std]
use core::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines<'a, 't: 'a> {
    lines: &'a [&'t str],
    first: Option<u8>,
}
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer<T> {
    #[default]
    None,
    One(T),
    Two {
        first: T,
        second: T,
    },
}
pub struct Name<'n>(&'n str);
impl Name<'_> {
    pub fn longest(&self, others: &[&str], lengths: &mut [&mut usize]) -> usize {
        lengths.iter_mut().zip(others).for_each(|(length, other)| **length = other.len());
        others.iter().map(|other| other.len()).max().unwrap_or(self.0.len())
    }
}
impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
impl<'n> From<&'n str> for Name<'n> {
    fn from(text: &'n str) -> Name<'n> {
        Name(text)
    }
}
impl<'o> PartialEq<&'o str> for Name<'_> {
    fn eq(&self, other: &&'o str) -> bool {
        self.0 == *other
    }
}
impl AsRef<str> for Name<'static> {
    fn as_ref(&self) -> &str {
        self.0
    }
}
pub trait Named {
    fn name(&self) -> &'static str;
}
impl Named for [&'static str; 2] {
    fn name(&self) -> &'static str {
        self[0]
    }
}
impl<'a, 'b: 'a, 'c: 'b> Named for &'a &'b &'c u8 {
    fn name(&self) -> &'static str {
        if ****self == 0 { "none" } else { "some" }
    }
}
