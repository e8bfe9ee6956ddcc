//! Guards: conditions of what an event is raised with, and whether they hold.

use crate::{WORDS, machine};
use abi::Error;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arch::landing::{Compared, Look, Read, Tested};
use extension::{Compare, Condition, MOST_CONDITIONS, Part};
use fallible::TryPush;

/// What an argument of an event is, as handlers get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A word, of which so many bytes count, and whether it has a sign.
    Value(u8, bool),
    /// A word that only the host understands: no guard looks at it.
    Handle,
    /// The address of a structure with these numbers, and nothing that a guard could look at between them.
    Lent(&'static [Numbers]),
    /// Address and length of a slice of bytes: two words.
    Bytes,
}
/// Numbers of a structure, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Where the first of them begins.
    pub at: u32,
    /// Bytes of each.
    pub width: u8,
    pub signed: bool,
    pub count: u32,
}
impl Numbers {
    /// Whether one of them is so.
    fn have(&self, offset: u32, width: u8, signed: bool) -> bool {
        let behind = offset.wrapping_sub(self.at);
        let (each, is_kind) = (u32::from(width), (self.width, self.signed) == (width, signed));
        is_kind && behind.is_multiple_of(each) && behind / each < self.count
    }
}
impl Argument {
    fn words(self) -> u8 {
        if self == Argument::Bytes { 2 } else { 1 }
    }
}

/// What a condition looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The word that it is, or begins at.
    pub word: u8,
    /// Of [`Part::Length`] it is the word itself.
    pub part: Part,
    pub width: u8,
    pub signed: bool,
    pub offset: u32,
    pub mask: u64,
}
impl Field {
    /// What it is of the arguments; nothing: there are not so many bytes.
    ///
    /// # Safety
    /// The words are those of an event's arguments, which the field was made for.
    pub unsafe fn read(&self, words: &[usize; WORDS]) -> Option<u64> {
        let word = words[self.word as usize];
        let raw = match self.part {
            Part::Value | Part::Length => word as u64,
            Part::Field => {
                let at = core::ptr::with_exposed_provenance::<u8>(word + self.offset as usize);
                // SAFETY: the structure is lent, and has it there, aligned.
                unsafe {
                    match self.width {
                        1 => at.read().into(),
                        2 => at.cast::<u16>().read().into(),
                        4 => at.cast::<u32>().read().into(),
                        _ => at.cast::<u64>().read(),
                    }
                }
            }
            Part::Bytes => {
                let (length, end) = (words[self.word as usize + 1], self.offset as usize + self.width as usize);
                if length < end {
                    return None;
                }
                let at = core::ptr::with_exposed_provenance::<u8>(word + self.offset as usize);
                // SAFETY: so many bytes are lent.
                (0..self.width as usize).fold(0, |all, n| all << 8 | u64::from(unsafe { at.add(n).read() }))
            }
        };
        Some(extension::seen(raw, self.width, self.signed, self.mask))
    }
}
/// A condition, as it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub field: Field,
    pub compare: Compare,
    pub constant: u64,
}
impl Test {
    /// Of an event with these arguments. `EINVAL`: they have not what it looks at.
    fn new(condition: &Condition, arguments: &[Argument]) -> Result<Test, Error> {
        let Condition { argument, part, width, signed, compare, offset, mask, constant } = *condition;
        let of = *arguments.get(argument as usize).ok_or(Error::EINVAL)?;
        let end = u64::from(offset) + u64::from(width);
        let is_there = match (part, of) {
            (Part::Value, Argument::Value(bytes, has_sign)) => (width, signed) == (bytes, has_sign),
            (Part::Field, Argument::Lent(numbers)) => numbers.iter().any(|all| all.have(offset, width, signed)),
            (Part::Bytes, Argument::Bytes) => end <= u32::MAX.into(),
            (Part::Length, Argument::Bytes) => true,
            _ => false,
        };
        // It may come from elsewhere than a file that was read.
        if !is_there || Condition::of(&condition.to_bytes()) != Some(*condition) {
            return Err(Error::EINVAL);
        }
        let first: u8 = arguments[..argument as usize].iter().map(|argument| argument.words()).sum();
        let word = if part == Part::Length { first + 1 } else { first };
        // Who is equal is so with and without a sign.
        let is_equal = matches!(compare, Compare::Equal | Compare::Differs);
        let constant = if is_equal { constant & Condition::bits(width) } else { constant };
        let field = Field { word, part, width, signed: signed && !is_equal, offset, mask };
        Ok(Test { field, compare, constant })
    }
    /// # Safety
    /// As [`Field::read`].
    pub unsafe fn holds(&self, words: &[usize; WORDS]) -> bool {
        // SAFETY: as above.
        let seen = unsafe { self.field.read(words) };
        seen.is_some_and(|seen| self.compare.holds(seen, self.constant, self.field.signed))
    }
}
impl Test {
    /// The same for the machine's own code.
    pub fn tested(&self) -> Tested {
        let compared = match self.compare {
            Compare::Equal => Compared::Equal,
            Compare::Differs => Compared::Differs,
            Compare::Below => Compared::Below,
            Compare::AtMost => Compared::AtMost,
            Compare::Above => Compared::Above,
            Compare::AtLeast => Compared::AtLeast,
        };
        let compare = Some(machine::comparison(compared, self.field.signed));
        Tested { look: self.field.look(), compare, constant: self.constant }
    }
}
impl Field {
    /// The same for the machine's own code.
    pub fn look(&self) -> Look {
        let Field { word, part, width, signed, offset, mask } = *self;
        let read = match part {
            Part::Value | Part::Length => Read::Word,
            Part::Field if signed => Read::Signed(width),
            Part::Field => Read::Unsigned(width),
            Part::Bytes => Read::Bytes(width),
        };
        let (offset, end) = (offset as usize, offset as usize + width as usize);
        // A word with a sign has it in all bits; bytes are made so by nobody.
        let mask = if signed { u64::MAX } else { mask };
        Look { reader: Some(machine::reader(word.into(), read)), offset, end, mask }
    }
}
/// All conditions of a handler, shared by the lists that it is in.
pub(crate) type Tests = Arc<Vec<Test>>;
/// The tests that conditions of an event with these arguments are. `EINVAL`: it has not what one looks at; `ENOMEM`.
pub(crate) fn tests(conditions: &[Condition], arguments: &[Argument]) -> Result<Tests, Error> {
    // The extension's, and as many of the host's.
    if conditions.len() > 2 * MOST_CONDITIONS {
        return Err(Error::EINVAL);
    }
    let mut all = Vec::new();
    for condition in conditions {
        all.try_push(Test::new(condition, arguments)?)?;
    }
    Arc::try_new(all).map_err(|_| Error::ENOMEM)
}
