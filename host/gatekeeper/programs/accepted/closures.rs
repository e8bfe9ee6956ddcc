//! Closures that are taken and returned, references of two lifetimes, a where clause for what an impl implies.
#![no_std]
extern crate alloc;
use alloc::vec::Vec;

pub fn composed<A, B, C>(one: impl Fn(A) -> B, other: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |value| other(one(value))
}
pub fn scaled(by: u64) -> impl Fn(u64) -> u64 {
    move |value| value * by
}
pub fn counter() -> impl FnMut() -> u64 {
    let mut count = 0;
    move || {
        count += 1;
        count
    }
}
pub struct Text<'t> {
    all: &'t str,
}
pub struct Words<'w, 't: 'w> {
    text: &'w Text<'t>,
    at: usize,
}
impl<'t> Text<'t> {
    pub fn words<'w>(&'w self) -> Words<'w, 't> {
        Words { text: self, at: 0 }
    }
    pub fn longest<'a>(&'a self, other: &'a str) -> &'a str {
        if self.all.len() > other.len() { self.all } else { other }
    }
}
impl<'w, 't: 'w> Iterator for Words<'w, 't> {
    type Item = &'t str;
    fn next(&mut self) -> Option<&'t str> {
        let rest = self.text.all.get(self.at..)?.trim_start();
        let word = rest.split(' ').next().filter(|word| !word.is_empty())?;
        self.at = self.text.all.len() - rest.len() + word.len();
        Some(word)
    }
}
pub trait Reads<T> {
    fn read<'r>(&self, value: &'r T) -> &'r T;
}
pub struct Plain;
impl<'v> Reads<&'v u64> for Plain {
    fn read<'r>(&self, value: &'r &'v u64) -> &'r &'v u64 {
        value
    }
}
pub fn lengths<S: AsRef<str>, I: Iterator<Item = S>>(all: I) -> Vec<usize> {
    all.map(|text| text.as_ref().len()).collect()
}
pub fn applied<F>(mut change: F, values: &mut [u64])
where
    F: FnMut(&mut u64) -> Result<(), ()>,
{
    let _ = values.iter_mut().try_for_each(|value| change(value));
}
