//! Words of the memory manager's portals that say more than one thing: made here, and taken apart here.

use crate::rights::Rights;

/// Two domains, by number: who has a page or shows it, and who is to have it or see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parties {
    pub by: usize,
    pub to: usize,
}
impl Parties {
    const BITS: u32 = 16;

    pub const fn word(self) -> usize {
        self.by | self.to << Parties::BITS
    }
    pub const fn of(word: usize) -> Parties {
        let number = (1 << Parties::BITS) - 1;
        Parties { by: word & number, to: word >> Parties::BITS & number }
    }
}
const _: () = assert!(crate::nucleus::MAX_DOMAINS <= 1 << Parties::BITS);

/// The same, and with which rights; none: no more at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub parties: Parties,
    pub rights: Rights,
}
impl Shown {
    pub const fn word(self) -> usize {
        self.parties.word() | (self.rights.bits() as usize) << (2 * Parties::BITS)
    }
    /// `None`: those are no rights.
    pub const fn of(word: usize) -> Option<Shown> {
        match Rights::of_page_or_none(word >> (2 * Parties::BITS)) {
            Some(rights) => Some(Shown { parties: Parties::of(word), rights }),
            None => None,
        }
    }
}
/// Which part of a space whoever maps a page there means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Any that is no segment of a fault domain.
    Ordinary,
    /// A segment of a fault domain that the domain itself has made ([`NEW_SEGMENT`]), or the code around it.
    Segment,
}
/// With the rights of a page that `memory.page` is asked for: it is for [`Part::Segment`]. Only the domain itself maps there.
pub const IN_SEGMENT: usize = 1 << 9;
/// In place of rights: one of the caller's fault domains is to have the segment that begins at the address (one of
/// [`crate::enclosure::segment`]'s). From then on, until the domain ends, nothing is mapped in the segment but with [`IN_SEGMENT`], and nothing
/// at all in its guard zones, whoever asks. `EINVAL`: none begins there; `EEXIST`: something is mapped in it, or beside it.
pub const NEW_SEGMENT: usize = 1 << 10;

/// With which rights a page is to be there, or with none not at all; and whether who asks may ask that of the domain: because it is the
/// domain itself or its parent. Another must answer for the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub rights: Rights,
    pub related: bool,
    pub part: Part,
}
impl Replacement {
    const RELATED: usize = 1 << 8;

    pub const fn word(self) -> usize {
        let part = match self.part {
            Part::Ordinary => 0,
            Part::Segment => IN_SEGMENT,
        };
        self.rights.bits() as usize | part | if self.related { Replacement::RELATED } else { 0 }
    }
    /// `None`: those are no rights.
    pub const fn of(word: usize) -> Option<Replacement> {
        let related = word & Replacement::RELATED != 0;
        match Replacement::rights_and_part(word & !Replacement::RELATED) {
            Some((rights, part)) => Some(Replacement { rights, related, part }),
            None => None,
        }
    }
    /// What a domain asks for: rights, or none, with [`IN_SEGMENT`] or without. `None`: those are no rights.
    pub const fn rights_and_part(word: usize) -> Option<(Rights, Part)> {
        // Most pages are in no segment.
        match Rights::of_page_or_none(word) {
            Some(rights) => Some((rights, Part::Ordinary)),
            None if word & IN_SEGMENT == 0 => None,
            None => match Rights::of_page_or_none(word & !IN_SEGMENT) {
                Some(rights) => Some((rights, Part::Segment)),
                None => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_what_it_was_made_of() {
        for (by, to) in [(0, 0), (1, 511), (511, 1), (0xffff, 0xfffe)] {
            let parties = Parties { by, to };
            assert_eq!(Parties::of(parties.word()), parties);
            for rights in [Rights::NONE, Rights::READ, Rights::READ_WRITE, Rights::all()] {
                assert_eq!(Shown::of(Shown { parties, rights }.word()), Some(Shown { parties, rights }));
            }
        }
        for (related, part) in
            [(false, Part::Ordinary), (true, Part::Ordinary), (false, Part::Segment), (true, Part::Segment)]
        {
            let replacement = Replacement { rights: Rights::READ_EXECUTE, related, part };
            assert_eq!(Replacement::of(replacement.word()), Some(replacement));
        }
    }
    #[test]
    fn what_is_no_right_is_refused() {
        for word in [1, 4, 16, 0x104, 0x204, NEW_SEGMENT, usize::MAX] {
            assert_eq!(Replacement::of(word), None, "{word:#x}");
            assert_eq!(Shown::of(word << 32), None, "{word:#x}");
        }
    }
}
