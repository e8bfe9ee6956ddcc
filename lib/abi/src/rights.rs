//! What code may do with a page.

bitflags::bitflags! {
    /// Rights on pages, as components, manifests and programs' files say them: the same numbers on every machine. What a page-table
    /// entry has for them is the machine's.
    ///
    /// `Rights::from_bits` is the check of a word that somebody else has made: `None`, if it has a bit that is no right.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Rights: u64 {
        const READ = 2;
        const WRITE = 4;
        const EXECUTE = 8;
        /// A program's data.
        const READ_WRITE = Self::READ.bits() | Self::WRITE.bits();
        /// A program's code.
        const READ_EXECUTE = Self::READ.bits() | Self::EXECUTE.bits();
    }
}
impl Rights {
    pub const NONE: Rights = Rights::empty();
    /// Of a word of somebody else's, for a page that there is to be: what can be written or executed can be read, too.
    pub const fn of_page(word: usize) -> Option<Rights> {
        match Rights::from_bits(word as u64) {
            Some(rights) if rights.contains(Rights::READ) => Some(rights),
            _ => None,
        }
    }
    /// The same, or none at all: the page is to go.
    pub const fn of_page_or_none(word: usize) -> Option<Rights> {
        if word == 0 { Some(Rights::NONE) } else { Rights::of_page(word) }
    }
    /// What a window for reading, or (`write`) for both, needs.
    pub const fn of_window(write: bool) -> Rights {
        if write { Rights::READ_WRITE } else { Rights::READ }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_what_is_no_right_is_refused() {
        assert_eq!(Rights::of_page(6), Some(Rights::READ_WRITE));
        for word in [0, 1, 4, 8, 12, 16, 2 | 1, 2 | 1 << 8, usize::MAX] {
            assert_eq!(Rights::of_page(word), None, "{word:#x}");
        }
        assert_eq!((Rights::of_page_or_none(0), Rights::of_page_or_none(4)), (Some(Rights::NONE), None));
    }
}
