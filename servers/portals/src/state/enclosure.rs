//! How a domain is kept apart from others. What differs by it is in [`crate::operations::enclosures`], and nowhere else; of a mechanism that
//! there is for tests only, in its own file, as a `Mechanism` (`mechanism.rs`).

/// A mechanism, and what a domain of it is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// An address space of its own. `part`: the first domain of protection in it, or 0. `hosted`: what it is named after is a software
    /// fault domain in it, and all else there is that one's host.
    Domain { part: u16, hosted: bool },
    /// A domain of protection: it sees a part of the space of domain `task`. `next`: another one there, or 0.
    Protection { task: u16, next: u16 },
    /// An address space of its own whose pages are supervisor mode's, which it executes in.
    Supervisor,
    /// That of this number in the manager's list of those that bring themselves. Only tests have some.
    #[cfg(test)]
    Other(u8),
}
impl Enclosure {
    /// A new address space.
    pub const SPACE: Enclosure = Enclosure::Domain { part: 0, hosted: false };
    /// A new address space for a software fault domain and its host.
    pub const HOST: Enclosure = Enclosure::Domain { part: 0, hosted: true };
    /// Whether nobody else sees the space.
    pub fn is_alone(self) -> bool {
        matches!(self, Enclosure::Domain { part: 0, .. } | Enclosure::Supervisor) || self.brings_itself()
    }
    /// Whether it is one that brings itself.
    #[inline(always)]
    pub fn brings_itself(self) -> bool {
        match self {
            #[cfg(test)]
            Enclosure::Other(_) => true,
            _ => false,
        }
    }
}
