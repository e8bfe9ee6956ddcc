//! The specification string of a portal.
/// A parsed specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {}
/// Why a specification is not one, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected { pub reason: u8, pub position: u8 }
impl Specification {
    /// Parses `text`; `boot` allows the letters that only boot components may use (`j`, `x`).
    pub fn parse(text: &str, boot: bool) -> Result<Specification, Rejected> { let _ = (text, boot); todo!() }
}
