//! What differs by how a domain is kept apart: what it is made in, its end of a connection, what is released at its end, and what is
//! told of it. Each is one `match` with an arm for each mechanism; no other file asks which one a domain has.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::enclosure::Enclosure;
use abi::Error;
use abi::identity::DomainId;
use abi::isolation::Isolation;
use account::Account;
use portal::End;

impl<M: Machine> Manager<M> {
    /// What a request of a mechanism and a domain's number asks for. `EINVAL`: there is no such mechanism, or it goes without that
    /// domain.
    pub fn enclosure(&self, isolation: u64, within: u64) -> Result<Enclosure> {
        match Isolation::of(isolation) {
            Some(Isolation::Domain) if within == 0 => Ok(Enclosure::Domain),
            _ => Err(Error::EINVAL),
        }
    }
    /// Makes what the new domain `id` has in place of memory, for which `account` pays; physical address of its root page table.
    #[inline(always)]
    pub(crate) fn make_enclosure(&self, enclosure: Enclosure, id: DomainId, account: Account) -> Result<usize> {
        match enclosure {
            Enclosure::Domain => self.machine.space_create(id, account),
        }
    }
    /// Releases that. Nobody is in the domain any more.
    #[inline(always)]
    pub(crate) fn release_enclosure(&self, enclosure: Enclosure, asid: usize) {
        match enclosure {
            Enclosure::Domain => self.machine.space_destroy(asid),
        }
    }
    /// The domain's end of a connection.
    #[inline(always)]
    pub fn end(&self, asid: usize) -> Result<End> {
        let d = self.domain(asid)?;
        match d.enclosure {
            Enclosure::Domain => Ok(End { table: d.table.address(), asid: asid as u64, flags: d.flags }),
        }
    }
    /// What is told of it: the mechanism, and the number of the domain that it is within, or 0.
    pub(crate) fn describe_enclosure(&self, enclosure: Enclosure) -> (Isolation, u64) {
        match enclosure {
            Enclosure::Domain => (Isolation::Domain, 0),
        }
    }
}
