//! Laying out: the pages of an image, as they are where it runs.

use crate::{Extension, PAGE, SLOT, Section};

impl Extension<'_> {
    /// The page that begins `at` bytes from the image's start, where that is at the address `base` and the slots lead to `slots`, one for each import. Behind text and constants
    /// are zeros.
    ///
    /// # Panics
    /// There are fewer slots than imports.
    pub fn page(&self, at: usize, base: u64, slots: &[u64], to: &mut [u8; PAGE]) {
        let (text, first) = (self.text(), self.layout().constants);
        to.fill(0);
        if at < first {
            copy(text, at, to);
            return;
        }
        let (constants, at) = (self.section(Section::Constants), at - first);
        copy(constants, at, to);
        // Words that lie in this page: a page has whole ones.
        let here = |place: usize| place.checked_sub(at).filter(|place| *place < PAGE);
        for (n, slot) in slots[..self.imports().len()].iter().enumerate() {
            if let Some(place) = here(n * SLOT) {
                to[place..place + SLOT].copy_from_slice(&slot.to_le_bytes());
            }
        }
        for place in self.relocations().filter_map(here) {
            let word = &mut to[place..place + SLOT];
            let mut offset = [0; SLOT];
            offset.copy_from_slice(word);
            word.copy_from_slice(&base.wrapping_add(u64::from_le_bytes(offset)).to_le_bytes());
        }
    }
}
fn copy(from: &[u8], at: usize, to: &mut [u8; PAGE]) {
    let part = from.get(at..).unwrap_or(&[]);
    let part = &part[..part.len().min(PAGE)];
    to[..part.len()].copy_from_slice(part);
}
