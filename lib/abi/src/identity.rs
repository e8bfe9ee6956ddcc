//! Who is meant: a number together with a serial that no other holder of that number has had or will.
//!
//! Domains and their like have small numbers, because hardware and tables want them so (an ASID, an index), and numbers are used
//! again. A number alone says who is meant only while nothing can have ended in between: in the domain's own call, or under the
//! lock of who keeps the table. Whatever outlives that (a registration, a request that waits, a key that portal code has left, an
//! answer under way) says it with an [`Identity`], and finds nobody once that one is gone, whoever has the number then.
//!
//! An identity can not be made from a number: it takes a [`Serial`], and serials come from [`Serials`], which who makes the domains
//! has, or from another identity. From a call's words and from nucleus data it is taken whole, by [`Identity::of`], which refuses a
//! bare number.
//!
//! **An allegation, and how to get the proof.** An identity says who is *meant*. That this one lives, or ever did, only the lookup
//! says, in the table of who keeps what is asked for; what it returns holds as long as that table stays locked, and is looked up
//! again after every wait. A domain record's identity, read in the domain's own call, is proof that it was alive then.

use core::marker::PhantomData;
use core::num::NonZeroU64;

/// Bits of a number: all numbers are below 2¹⁶.
pub const NUMBER_BITS: u32 = 16;
/// Bits of a serial. At ten thousand domains a second they last for 55 years.
pub const SERIAL_BITS: u32 = 44;
/// An identity's word is below 2 to the power of this: positive, as results of portals are, with room for another number above it.
pub const BITS: u32 = NUMBER_BITS + SERIAL_BITS;

/// What tells one holder of a number from all others: 1 … 2⁴⁴ - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serial(NonZeroU64);

/// Gives out serials, each once.
#[derive(Debug)]
pub struct Serials(u64);
impl Serials {
    /// Those from 1 to `last` are given out: the image builder has given domain `n` of the first ones serial `n`.
    pub const fn after(last: u64) -> Serials {
        Serials(last)
    }
    /// How many have been given out.
    pub const fn given(&self) -> u64 {
        self.0
    }
}

impl Iterator for Serials {
    type Item = Serial;
    /// `None`: all are given out.
    fn next(&mut self) -> Option<Serial> {
        let next = NonZeroU64::new(self.0 + 1).filter(|next| next.get() < 1 << SERIAL_BITS)?;
        self.0 = next.get();
        Some(Serial(next))
    }
}

/// A number and its holder's serial, in one word: the number in the lowest 16 bits, the serial above. `Of` says of what.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity<Of>(NonZeroU64, PhantomData<Of>);

/// Kinds of what has an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {}

/// A domain: its ASID and its serial, as its record has it ([`crate::nucleus::domain::IDENTITY`]) and the letter `d` passes it.
pub type DomainId = Identity<Domain>;

impl<Of> Identity<Of> {
    /// Who was given `number` (1 … 2¹⁶ - 1) and `serial`. `None`: `number` is out of range, or 0, which is nobody's.
    pub const fn new(number: usize, serial: Serial) -> Option<Identity<Of>> {
        if number == 0 || number >> NUMBER_BITS != 0 {
            return None;
        }
        match NonZeroU64::new(serial.0.get() << NUMBER_BITS | number as u64) {
            Some(word) => Some(Identity(word, PhantomData)),
            None => None,
        }
    }
    /// Who is alleged by a word that a call has brought, or that portal code has copied from a record. `None`: it is no identity; a
    /// number alone is none.
    pub const fn of(word: u64) -> Option<Identity<Of>> {
        if word >> NUMBER_BITS == 0 || word >> BITS != 0 || word as u16 == 0 {
            return None;
        }
        match NonZeroU64::new(word) {
            Some(word) => Some(Identity(word, PhantomData)),
            None => None,
        }
    }
    /// The word that [`Identity::of`] takes. It is not 0.
    pub const fn word(self) -> u64 {
        self.0.get()
    }
    /// The number, which is another's after this one's end.
    pub const fn number(self) -> usize {
        (self.0.get() & ((1 << NUMBER_BITS) - 1)) as usize
    }
    pub const fn serial(self) -> Serial {
        match NonZeroU64::new(self.0.get() >> NUMBER_BITS) {
            Some(serial) => Serial(serial),
            None => unreachable!(),
        }
    }
}
impl Serial {
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}
impl<Of> core::fmt::Debug for Identity<Of> {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        let word = self.0.get();
        write!(f, "{}#{}", word as u16, word >> NUMBER_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_one_word() {
        let mut serials = Serials::after(16);
        let id = DomainId::new(300, serials.next().unwrap()).unwrap();
        assert_eq!((id.number(), id.serial().get()), (300, 17));
        assert_eq!(DomainId::of(id.word()), Some(id));
    }
    #[test]
    fn a_number_alone_is_no_identity() {
        assert!((0..1 << NUMBER_BITS).all(|number| DomainId::of(number).is_none()));
    }
    #[test]
    fn a_serial_alone_is_no_identity() {
        assert_eq!(DomainId::of(17 << NUMBER_BITS), None);
    }
    #[test]
    fn an_error_code_is_no_identity() {
        assert!((-300..0).all(|code: i64| DomainId::of(code as u64).is_none()));
    }
    #[test]
    fn a_number_that_is_nobodys_or_too_large_is_refused() {
        let serial = Serials::after(0).next().unwrap();
        assert_eq!((DomainId::new(0, serial), DomainId::new(1 << NUMBER_BITS, serial)), (None, None));
    }
    #[test]
    fn who_has_the_number_next_is_another() {
        let mut serials = Serials::after(0);
        let [one, other] = [(); 2].map(|()| DomainId::new(7, serials.next().unwrap()).unwrap());
        assert_ne!(one, other);
    }
    #[test]
    fn serials_end() {
        let mut serials = Serials::after((1 << SERIAL_BITS) - 2);
        let last = serials.next().unwrap();
        assert_eq!((last.get(), serials.next()), ((1 << SERIAL_BITS) - 1, None));
        assert!(DomainId::new(0xffff, last).unwrap().word() as i64 > 0);
    }
}
