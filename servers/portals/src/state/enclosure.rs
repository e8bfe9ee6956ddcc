//! How a domain is kept apart from others. What differs by it is in [`crate::operations::enclosures`], and nowhere else.

/// A mechanism, and what a domain of it is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// An address space of its own. `part`: the first domain of protection in it, or 0.
    Domain { part: u16 },
    /// A domain of protection: it sees a part of the space of domain `task`. `next`: another one there, or 0.
    Protection { task: u16, next: u16 },
}
impl Enclosure {
    /// A new address space.
    pub const SPACE: Enclosure = Enclosure::Domain { part: 0 };
}
