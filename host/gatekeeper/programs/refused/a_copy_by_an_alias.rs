//! COPY: for one lifetime, behind an alias.
#![no_std]
pub struct Counted<'c>(pub &'c u8);
type Forever = Counted<'static>;
impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Counted(self.0)
    }
}
impl Copy for Forever {}
