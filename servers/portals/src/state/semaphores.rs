//! The semaphores that portals lead to.

use crate::Result;
use crate::state::slots::Slots;
use abi::nucleus::MAX_SEMAPHORES;

/// A semaphore that portals lead to.
pub struct Semaphore {
    /// Table entries that lead to its P or V.
    pub entries: u32,
    /// Interrupts post it, too.
    pub interrupts: bool,
    /// The blocks of P and V; 0: nothing leads to it any more.
    pub blocks: [u64; 2],
    pub charge: account::Charge,
}

/// All that portals lead to, by the indices in their ids.
pub struct Semaphores(Slots<(usize, Semaphore)>);

impl Semaphores {
    pub const fn new() -> Semaphores {
        Semaphores(Slots::new())
    }
    pub fn get(&self, id: usize) -> Option<&Semaphore> {
        self.0.get(id % MAX_SEMAPHORES).filter(|(own, _)| *own == id).map(|(_, semaphore)| semaphore)
    }
    pub fn get_mut(&mut self, id: usize) -> Option<&mut Semaphore> {
        self.0.get_mut(id % MAX_SEMAPHORES).filter(|(own, _)| *own == id).map(|(_, semaphore)| semaphore)
    }
    pub fn room_for(&mut self, id: usize) -> Result<()> {
        self.0.room_at(id % MAX_SEMAPHORES)
    }
    pub fn insert(&mut self, id: usize, semaphore: Semaphore) {
        self.0.set(id % MAX_SEMAPHORES, (id, semaphore));
    }
    pub fn remove(&mut self, id: usize) -> Option<Semaphore> {
        self.0.remove(id % MAX_SEMAPHORES).map(|(_, semaphore)| semaphore)
    }
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Semaphore)> {
        self.0.iter().map(|(_, (id, semaphore))| (*id, semaphore))
    }
}
