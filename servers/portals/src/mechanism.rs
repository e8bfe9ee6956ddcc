//! Mechanisms that bring themselves: for tests only.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use abi::identity::DomainId;
use account::Account;
use portal::End;

/// A mechanism that brings itself: what differs by it, all in one place. `Manager::mechanisms` is the list of them, in tests.
///
/// A domain of it has portals, threads and stacks as any other has; nobody sees its memory but by the portals' letters.
pub trait Mechanism<M: Machine>: Sync {
    /// The number that requests and answers have it by.
    fn number(&self) -> u64;
    /// Makes what new domain `id` has in place of memory, for which `account` pays; physical address of its root page table.
    fn make(&self, manager: &Manager<M>, id: DomainId, account: Account) -> Result<usize>;
    /// The end that a connection of domain `asid` has.
    fn connect(&self, manager: &Manager<M>, asid: usize) -> Result<End>;
    /// Releases what domain `asid` was made in. Nobody is in it any more.
    fn end(&self, manager: &mut Manager<M>, asid: usize);
    /// Number of the domain that one of its domains is within, or 0.
    fn within(&self) -> u64;
}
