//! What is known of the values of a part as it is gone through ([`crate::confinement`]): numbers and their bounds, and addresses in a record.

use crate::form::FRAME_WORDS;
use abi::step::{Operation, Place};

/// What is known of a value, or of a word of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// Not written on every way to here.
    Unset,
    Number(Bounds),
    /// A part of the record's address and a number.
    Part(Bounds),
    /// The record's address and a number; or, where that is possible, 0.
    Record(Bounds, bool),
    /// The callee's portal table.
    Callee,
}
use Value::*;

/// A number: its most, [`ANY`] for every one of 64 bits, and how many of its lowest bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) most: u32,
    pub(crate) zeros: u8,
}
pub(crate) const ANY: u32 = u32::MAX;
pub(crate) const WORD: Value = Number(Bounds { most: ANY, zeros: 0 });
impl Bounds {
    pub(crate) fn of(value: u32) -> Bounds {
        Bounds { most: value, zeros: if value == 0 { 63 } else { value.trailing_zeros() as u8 } }
    }
    pub(crate) fn plus(self, other: Bounds) -> Bounds {
        Bounds { most: self.most.saturating_add(other.most), zeros: self.zeros.min(other.zeros) }
    }
    pub(crate) fn or(self, other: Bounds) -> Bounds {
        Bounds { most: self.most.max(other.most), zeros: self.zeros.min(other.zeros) }
    }
    pub(crate) fn shifted_left(self, by: u32) -> Bounds {
        let most = if self.most == ANY { ANY } else { u32::try_from((self.most as u64) << by.min(31)).unwrap_or(ANY) };
        Bounds { most: if by > 31 && self.most != 0 { ANY } else { most }, zeros: (self.zeros + by as u8).min(63) }
    }
    pub(crate) fn shifted_right(self, by: u32) -> Bounds {
        let most = if self.most == ANY { u64::MAX } else { self.most as u64 } >> by;
        Bounds { most: u32::try_from(most).unwrap_or(ANY), zeros: self.zeros.saturating_sub(by as u8) }
    }
}
impl Value {
    /// What is known where two ways meet.
    pub(crate) fn or(self, other: Value) -> Value {
        let nothing = |b: Bounds| b.most == 0;
        match (self, other) {
            (a, b) if a == b => a,
            (Number(a), Number(b)) => Number(a.or(b)),
            (Record(a, m), Record(b, n)) => Record(a.or(b), m || n),
            (Record(a, _), Number(b)) | (Number(b), Record(a, _)) if nothing(b) => Record(a, true),
            _ => Unset,
        }
    }
}

/// The values, and the letter's own words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) values: [Value; 6],
    pub(crate) words: [Value; FRAME_WORDS as usize],
}
impl State {
    /// At the start of a part.
    pub(crate) fn new(words: [Value; FRAME_WORDS as usize]) -> State {
        State { values: [Unset; 6], words }
    }
    /// Becomes what is known where a way with `other` meets it. A loop: with each of its steps written out it was 9 KiB of code.
    #[inline(never)]
    #[cfg_attr(target_os = "none", optimize(size))]
    pub(crate) fn meet(&mut self, other: &State) {
        let (own, others) = (self.values.iter_mut(), other.values.iter());
        let (own, others) = (own.chain(&mut self.words), others.chain(&other.words));
        own.zip(others).for_each(|(own, other)| *own = own.or(*other));
    }
    pub(crate) fn value(&mut self, place: Place) -> Option<&mut Value> {
        self.values.get_mut((place.0 as usize).checked_sub(Place::V1.0 as usize)?)
    }
    pub(crate) fn set(&mut self, place: Place, value: Value) {
        if let Some(known) = self.value(place) {
            *known = value;
        }
    }
}
/// What comes of two values; `None`: it is no number, and no address in the record either.
#[cfg_attr(target_os = "none", optimize(size))]
pub(crate) fn combined(operation: Operation, a: Value, b: Value) -> Option<Value> {
    let adds = operation == Operation::ADD;
    Some(match (a, b) {
        (Number(a), Number(b)) if adds => Number(a.plus(b)),
        (Number(a), Number(b)) if operation == Operation::AND => {
            Number(Bounds { most: a.most.min(b.most), zeros: a.zeros.max(b.zeros) })
        }
        (Number(_), Number(_)) => WORD,
        (Part(a), Number(b)) | (Number(b), Part(a)) if adds => Part(a.plus(b)),
        (Record(a, false), Number(b)) | (Number(b), Record(a, false)) if adds => Record(a.plus(b), false),
        _ => return None,
    })
}
