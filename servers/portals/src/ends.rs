//! How domains ended that nobody has waited for.

use abi::system::Ended;
use alloc::vec::Vec;

/// Most that are kept; the oldest is forgotten then.
const MOST: usize = 256;

struct End {
    asid: usize,
    parent: usize,
    how: Ended,
}
/// In the order in which they ended.
pub struct Ends(Vec<End>);
impl Ends {
    pub const fn new() -> Ends {
        Ends(Vec::new())
    }
    pub fn contains(&self, asid: usize) -> bool {
        self.parent(asid).is_some()
    }
    /// Whose child domain `asid` was, if its end is kept.
    pub fn parent(&self, asid: usize) -> Option<usize> {
        self.0.iter().find(|end| end.asid == asid).map(|end| end.parent)
    }
    /// Keeps the end of domain `asid`: its number is not free before that is removed, so there is no other of it.
    pub fn insert(&mut self, asid: usize, parent: usize, how: Ended) {
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(End { asid, parent, how });
    }
    pub fn remove(&mut self, asid: usize) -> Option<Ended> {
        let place = self.0.iter().position(|end| end.asid == asid)?;
        Some(self.0.remove(place).how)
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
