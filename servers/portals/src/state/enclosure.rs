//! How a domain is kept apart from others. What differs by it is in [`crate::operations::enclosures`], and nowhere else.

/// A mechanism, and what a domain of it is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// An address space of its own.
    Domain,
}
