//! How domains ended that nobody has waited for.

use abi::identity::DomainId;
use abi::system::Ended;
use alloc::vec::Vec;

/// Most that are kept; of those who have most, the oldest is forgotten then.
const MOST: usize = 256;

pub struct End {
    pub id: DomainId,
    /// Whose child it was, and who lives.
    pub parent: Option<DomainId>,
    how: Ended,
}
/// In the order in which they ended.
pub struct Ends(Vec<End>);
impl Ends {
    pub const fn new() -> Ends {
        Ends(Vec::new())
    }
    /// The end of the domain that had number `asid`, if it is kept.
    pub fn of(&self, asid: usize) -> Option<&End> {
        self.0.iter().find(|end| end.id.number() == asid)
    }
    /// Keeps the end of a domain: its number is not free before that is removed, so there is no other of it.
    pub fn insert(&mut self, id: DomainId, parent: Option<DomainId>, how: Ended) {
        if self.0.len() >= MOST {
            self.forget_one();
        }
        self.0.push(End { id, parent, how });
    }
    /// Who lets most of its children's ends lie costs nobody else's.
    #[cold]
    fn forget_one(&mut self) {
        let of = |parent| self.0.iter().filter(|end| end.parent == parent).count();
        let mut most = (0, 0);
        for (place, end) in self.0.iter().enumerate() {
            // Each parent is counted once, at its oldest.
            if self.0[..place].iter().all(|before| before.parent != end.parent) {
                most = most.max((of(end.parent), usize::MAX - place));
            }
        }
        self.0.remove(usize::MAX - most.1);
    }
    pub fn remove(&mut self, id: DomainId) -> Option<Ended> {
        let place = self.0.iter().position(|end| end.id == id)?;
        Some(self.0.remove(place).how)
    }
    /// Nobody will wait for the children of `parent` any more.
    pub fn forget_children(&mut self, parent: DomainId) {
        self.0.retain(|end| end.parent != Some(parent));
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
