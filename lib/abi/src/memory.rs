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
/// With which rights a page is to be there, or with none not at all; and whether who asks may ask that of the domain: because it is the
/// domain itself or its parent. Another must answer for the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub rights: Rights,
    pub related: bool,
}
impl Replacement {
    const RELATED: usize = 1 << 8;

    pub const fn word(self) -> usize {
        self.rights.bits() as usize | if self.related { Replacement::RELATED } else { 0 }
    }
    /// `None`: those are no rights.
    pub const fn of(word: usize) -> Option<Replacement> {
        match Rights::of_page_or_none(word & !Replacement::RELATED) {
            Some(rights) => Some(Replacement { rights, related: word & Replacement::RELATED != 0 }),
            None => None,
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
        for related in [false, true] {
            let replacement = Replacement { rights: Rights::READ_EXECUTE, related };
            assert_eq!(Replacement::of(replacement.word()), Some(replacement));
        }
    }
    #[test]
    fn what_is_no_right_is_refused() {
        for word in [1, 4, 16, 0x104, 0x202, usize::MAX] {
            assert_eq!(Replacement::of(word), None, "{word:#x}");
            assert_eq!(Shown::of(word << 32), None, "{word:#x}");
        }
    }
}
