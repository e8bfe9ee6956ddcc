//! EXPLICIT: of a lifetime of its own.
#![no_std]
pub struct Reader<'r>(pub &'r u64);
impl<'r> Reader<'r> {
    pub fn replace<'n>(&mut self, value: &'r &'n u64) -> u64 {
        let before = *self.0;
        self.0 = value;
        before
    }
}
