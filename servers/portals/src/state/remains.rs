//! What is left of a domain that has ended.

use crate::state::enclosure::Enclosure;
use crate::state::nucleus_data::{Table, ThreadPage};
use abi::identity::DomainId;
use alloc::vec::Vec;

/// What of a dead domain can not be freed yet.
pub struct Zombie<M> {
    /// Its number, which is not given away before this is gone. Blocks that led to it have the number, too: they are counted here.
    pub asid: usize,
    pub charge: account::Charge,
    pub enclosure: Enclosure,
    pub table: Table<M>,
    /// How many blocks there are that led to it.
    pub blocks: usize,
    /// Frames of calls that have windows on its memory open: (thread, frame address).
    pub lent: Vec<(ThreadPage<M>, u64)>,
    /// There was no memory to say which: calls of any dead domain may have.
    pub lent_unknown: bool,
    /// It may have had templates.
    pub trusted: bool,
    pub space_destroyed: bool,
    /// Which blocks lead to it where calls are parked until somebody takes its place; `None`: nobody does.
    pub parked: Option<Parked>,
}
/// Calls that wait until somebody has taken the place of a domain that has ended.
pub struct Parked {
    /// Who has ended.
    pub of: DomainId,
    /// Who is to take its place, or the last one that was to and has ended since; at first who has ended.
    pub heir: DomainId,
    /// Who says who that is.
    pub maker: DomainId,
    /// It ended behind its gate, for an heir that is given up where it lacks something: what does not heal waits for the next one.
    pub handed: bool,
    /// Blocks whose calls are parked, and those of them that nothing leads to any more.
    pub blocks: Vec<u64>,
    /// The tick of `hrtime` from which on nobody waits; `None`: nobody has waited yet.
    pub until: Option<u64>,
}
/// What is left of all of them.
pub struct Remains<M> {
    /// For the end of each living domain there is room.
    pub zombies: Vec<Zombie<M>>,
    /// Calls that are turned away may have windows on the memory of domains that live, of whichever.
    pub unclaimed: bool,
    /// Physical addresses of domain blocks that nobody uses.
    pub spare_blocks: Vec<usize>,
}
impl<M> Remains<M> {
    pub const fn new() -> Remains<M> {
        Remains { zombies: Vec::new(), unclaimed: false, spare_blocks: Vec::new() }
    }
    /// The dead domain at `place` of whose calls some are parked.
    pub fn parked(&self, place: usize) -> Option<&Parked> {
        self.zombies.get(place)?.parked.as_ref()
    }
    /// The same of all such domains.
    pub fn all_parked(&self) -> impl Iterator<Item = &Parked> {
        self.zombies.iter().filter_map(|zombie| zombie.parked.as_ref())
    }
}
