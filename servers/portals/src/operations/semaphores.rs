//! Semaphores as portals: P and V, with the scheduler's number embedded.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::operations::threads::grow_table;
use crate::state::code::Kind;
use abi::Error;
use abi::account::Resource;
use abi::address::{PAGE, supervisor};
use abi::boot::{BootShortCircuit, GROWN_SEMAPHORES};
use abi::domain_set::DomainSet;
use abi::nucleus::MAX_SEMAPHORES;
use account::Charge;
use portal::{ShortCircuit, Specification};

use crate::state::semaphores::Semaphore;

/// Semaphores that are made without the portal manager, at most: of locks of the first components, and `init`'s.
const OTHERS: usize = 32;

fn circuits(machine: impl Machine) -> &'static [BootShortCircuit] {
    let info = machine.info();
    &info.short_circuits[..info.short_circuit_count as usize]
}

/// Supervisor address of the record of semaphore `id`.
fn record(machine: impl Machine, circuit: &BootShortCircuit, id: usize) -> Result<u64> {
    let table = &machine.info().grown[GROWN_SEMAPHORES];
    let offset = (id as u64 & circuit.mask) * circuit.stride;
    let address = table.start + offset;
    if address < table.missing {
        return Ok(circuit.records + offset);
    }
    let frame = machine.frame_of(table.asid as usize, address as usize)?;
    Ok(supervisor(frame) as u64 + address % PAGE as u64)
}

/// A new semaphore; the table of all of them has room for the next ones then.
pub fn new_semaphore(machine: impl Machine, value: usize) -> Result<usize> {
    let id = machine.semaphore_create(value)?;
    let next = id % MAX_SEMAPHORES + OTHERS;
    if let Err(error) = grow_table(machine, &machine.info().grown[GROWN_SEMAPHORES], next) {
        machine.semaphore_destroy(id);
        return Err(error);
    }
    Ok(id)
}

impl<M: Machine> Manager<M> {
    /// Makes a semaphore, and P and V as two consecutive portals of the direct caller's; the number of the first.
    pub fn semaphore_create(&mut self, caller: Caller, value: usize) -> Result<usize> {
        // They take words.
        let number = self.free_numbers_for(caller.direct, &[Specification::EMPTY; 2])?;
        let mut charge = self.charge(caller.direct, Resource::Semaphores, 1)?;
        let made = new_semaphore(self.machine, value as u32 as i32 as isize as usize).and_then(|id| {
            self.semaphore_portals(caller.direct, number, id, &mut charge).inspect_err(|_| {
                let _ = self.uninstall(caller.direct, number);
                self.machine.semaphore_destroy(id);
            })
        });
        // If it was made, that has taken it.
        self.accounts.refund(charge);
        made.map(|()| number)
    }
    fn semaphore_portals(&mut self, asid: usize, number: usize, id: usize, charge: &mut Charge) -> Result<()> {
        self.semaphores.room_for(id)?;
        let mut blocks = [0; 2];
        for v in [false, true] {
            let r = self.registrations.get(self.roles.semaphore_entries[v as usize]).ok_or(Error::ENOENT)?;
            let (server, specification, entry) = (r.server, r.specification, r.entry);
            let caller = self.end(asid)?;
            let kind = Kind::Semaphore { id: id as u32, v };
            let portal = self.roles.semaphore_entries[v as usize] as u64;
            let known = circuits(self.machine).iter().find(|s| s.portal == portal);
            // An uncontended P or V ends in the portal.
            let record = known.map_or(Ok(0), |s| record(self.machine, s, id));
            let short_circuit =
                record.map(|record| known.map(|s| ShortCircuit { words: &s.words[..s.count as usize], record }));
            let target = (entry, &[id as u64][..]);
            let made = short_circuit.and_then(|short_circuit| {
                let count = self.count(number + v as usize);
                self.generate_with((caller, server), &specification, target, short_circuit, kind, count)
                    .map(|made| made.0)
            });
            match made {
                Ok(made) => blocks[v as usize] = made,
                Err(error) => {
                    // Nothing leads to the first one.
                    blocks.into_iter().filter(|&made| made != 0).for_each(|made| self.retire(made));
                    return Err(error);
                }
            }
        }
        self.semaphores.insert(id, Semaphore { entries: 2, interrupts: false, blocks, charge: charge.take() });
        self.install(asid, number, blocks[0])?;
        self.install(asid, number + 1, blocks[1])
    }
    /// Nothing leads to its P, or its V, any more.
    #[inline(never)]
    pub fn semaphore_closed(&mut self, id: usize, v: bool) {
        if let Some(semaphore) = self.semaphores.get_mut(id) {
            semaphore.blocks[v as usize] = 0;
        }
    }
    /// A table entry no longer leads to semaphore `id`; the last one takes the semaphore with it.
    pub fn semaphore_released(&mut self, id: usize) {
        let Some(semaphore) = self.semaphores.get_mut(id) else { return };
        semaphore.entries -= 1;
        if semaphore.entries == 0 {
            if let Some(gone) = self.semaphores.remove(id) {
                self.accounts.refund(gone.charge);
            }
            self.machine.semaphore_destroy(id);
        }
    }
    /// Interrupts post semaphore `id` from now on, as well.
    pub fn posted_by_interrupts(&mut self, id: usize) {
        if let Some(semaphore) = self.semaphores.get_mut(id) {
            semaphore.interrupts = true;
        }
    }
    /// The semaphore whose P is portal `number` of `asid`.
    pub fn semaphore_of(&self, asid: usize, number: usize) -> Result<usize> {
        if number >= abi::nucleus::NPORTALS {
            return Err(Error::EINVAL);
        }
        match self.code.get(self.domain(asid)?.table.entry(number)).map(|b| b.kind) {
            Some(Kind::Semaphore { id, v: false }) => Ok(id as usize),
            _ => Err(Error::EINVAL),
        }
    }
    /// Ends a semaphore for everybody: who waits on it gets `EDEAD`, and its portals close.
    pub fn semaphore_destroy(&mut self, caller: Caller, number: usize) -> Result<isize> {
        let id = self.semaphore_of(caller.direct, number)?;
        let blocks = self.semaphores.get(id).map_or([0; 2], |s| s.blocks);
        for code in blocks {
            let looking = self.others_that_look_at(caller.direct, code);
            // The code may go with its last user.
            while let Some(&(asid, number)) = self.code.get(code).and_then(|block| block.users.last()) {
                let (asid, number) = (asid as usize, number as usize);
                self.uninstall(asid, number)?;
                // What another domain's thread may be about to call is nobody else's number yet, in none of the tables that are the same.
                if core::iter::once(asid).chain(self.sharers(asid)).any(|member| looking.has(member)) {
                    self.lead_nowhere(asid, number);
                }
            }
        }
        Ok(0)
    }
    /// Domains but `asid` of which a thread has asked last about a number that leads to `code`. Once for all of them: they are as many as somebody makes.
    fn others_that_look_at(&self, asid: usize, code: u64) -> DomainSet {
        let mut looking = DomainSet::NONE;
        for (domain, number) in self.threads.others_look_at(self.thread) {
            match self.live(domain) {
                Ok(other) if other != asid && self.domain(other).is_ok_and(|d| d.table.entry(number) == code) => {
                    looking.add(other);
                }
                _ => {}
            }
        }
        looking
    }
    /// Number `number`, which was closed, is kept from becoming another's in the table of `asid` and those that are the same.
    fn lead_nowhere(&mut self, asid: usize, number: usize) {
        let mut next = Some(asid);
        while let Some(member) = next {
            // That code stays, and keeps no users: only a domain that is not there has no room.
            let _ = self.install_alone(member, number, self.dead.grant);
            next = self.sharer_after(member, asid);
        }
    }
}
