//! Bytes to structures and back, conversions that can fail, own iterators over others', a ring of a fixed size.
#![no_std]
extern crate alloc;
use core::convert::identity;
use core::num::{NonZeroU32, TryFromIntError, Wrapping};
use core::ops::{AddAssign, BitOr, Mul, Not, RangeBounds};

pub mod wire {
    use super::{NonZeroU32, TryFromIntError, Wrapping};
    pub(crate) const MAGIC: [u8; 4] = *b"EXT1";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Kind {
        Question = 1,
        Answer = 2,
    }
    impl TryFrom<u8> for Kind {
        type Error = u8;
        fn try_from(byte: u8) -> Result<Self, u8> {
            Ok(match byte {
                1 => Kind::Question,
                2 => Kind::Answer,
                _ => return Err(byte),
            })
        }
    }
    pub struct Header {
        pub kind: Kind,
        pub length: u16,
        pub sequence: Wrapping<u32>,
        pub peer: Option<NonZeroU32>,
    }
    #[derive(Debug)]
    pub enum Bad {
        Magic,
        Kind(u8),
        Length(TryFromIntError),
        Short,
    }
    impl From<TryFromIntError> for Bad {
        fn from(error: TryFromIntError) -> Self {
            Bad::Length(error)
        }
    }
    impl Header {
        pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), Bad> {
            let (head, rest) = bytes.split_at_checked(16).ok_or(Bad::Short)?;
            let (magic, head) = head.split_first_chunk::<4>().ok_or(Bad::Short)?;
            if *magic != MAGIC {
                return Err(Bad::Magic);
            }
            let kind = Kind::try_from(head[0]).map_err(Bad::Kind)?;
            let length = u16::try_from(u32::from_le_bytes([head[1], head[2], head[3], 0]))?;
            let sequence = Wrapping(u32::from_be_bytes(head[4..8].try_into().unwrap()));
            let peer = NonZeroU32::new(u32::from(head[8]));
            Ok((Header { kind, length, sequence, peer }, rest))
        }
    }
}
pub struct Ring<T, const N: usize> {
    slots: [Option<T>; N],
    head: usize,
    length: usize,
}
impl<T: Copy, const N: usize> Ring<T, N> {
    pub const fn new() -> Self {
        Ring { slots: [None; N], head: 0, length: 0 }
    }
    pub fn push(&mut self, value: T) -> Result<(), T> {
        if self.length == N {
            return Err(value);
        }
        self.slots[(self.head + self.length) % N] = Some(value);
        self.length += 1;
        Ok(())
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + '_ {
        (0..self.length).filter_map(move |at| self.slots[(self.head + at) % N])
    }
}
impl<T: Copy, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Self::new()
    }
}
#[derive(Clone, Copy, PartialEq)]
pub struct Point<T>(pub T, pub T);
impl<T: Mul<Output = T> + AddAssign + Copy> Point<T> {
    pub fn dot(self, other: Self) -> T {
        let mut sum = self.0 * other.0;
        sum += self.1 * other.1;
        sum
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flags(u8);
impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}
impl Not for Flags {
    type Output = Flags;
    fn not(self) -> Flags {
        Flags(!self.0)
    }
}
pub struct Evens<I>(I);
impl<I: Iterator<Item = u32>> Iterator for Evens<I> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        self.0.by_ref().find(|number| number % 2 == 0)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.0.size_hint().1)
    }
}
pub trait WithEvens: Iterator<Item = u32> + Sized {
    fn evens(self) -> Evens<Self> {
        Evens(self)
    }
}
impl<I: Iterator<Item = u32>> WithEvens for I {}
pub fn squares(values: &[u32]) -> u32 {
    let squares = values.iter().copied().evens().take(3).map(|value| value.pow(2));
    squares.sum::<u32>() + values.iter().rev().copied().evens().last().map_or(0, identity)
}
pub fn between(map: &alloc::collections::BTreeMap<u32, u8>, range: impl RangeBounds<u32>) -> usize {
    map.range((range.start_bound().cloned(), range.end_bound().cloned())).count()
}
