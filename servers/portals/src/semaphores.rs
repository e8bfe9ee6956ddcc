//! Semaphores as portals: P and V, with the scheduler's number embedded.

use crate::code::Kind;
use crate::manager::{Caller, Manager};
use abi::Error;
use pebble::boot::{SEMAPHORE_CREATE, SEMAPHORE_DESTROY};
use pebble::{Result, check};

/// A semaphore that portals lead to.
#[derive(Default)]
pub struct Semaphore {
    /// Table entries that lead to its P or V.
    pub entries: usize,
}

impl Manager {
    /// Makes a semaphore, and P and V as two consecutive portals of the direct caller's; the number of the first.
    pub fn semaphore_create(&mut self, caller: Caller, value: usize) -> Result<usize> {
        let number = self.free_numbers(caller.direct, 2)?;
        let id = check(SEMAPHORE_CREATE.call([value as u32 as i32 as isize as usize]))?;
        let made = self.semaphore_portals(caller.direct, number, id);
        if made.is_err() {
            let _ = self.uninstall(caller.direct, number);
            SEMAPHORE_DESTROY.call([id]);
        }
        made.map(|()| number)
    }
    fn semaphore_portals(&mut self, asid: usize, number: usize, id: usize) -> Result<()> {
        for (v, name) in [(false, "scheduler.p"), (true, "scheduler.v")] {
            let registration = self.registrations[&self.boot_registration(name)?].clone();
            let code = self.generate(
                (self.end(asid)?, registration.server),
                &registration.specification,
                (registration.entry, &[id as u64]),
                Kind::Semaphore { id, v },
                false,
            )?;
            self.semaphores.entry(id).or_default().entries += 1;
            self.install(asid, number + v as usize, code)?;
        }
        Ok(())
    }
    /// A table entry no longer leads to semaphore `id`; the last one takes the semaphore with it.
    pub fn semaphore_released(&mut self, id: usize) {
        let Some(semaphore) = self.semaphores.get_mut(&id) else { return };
        semaphore.entries -= 1;
        if semaphore.entries == 0 {
            self.semaphores.remove(&id);
            SEMAPHORE_DESTROY.call([id]);
        }
    }
    /// The semaphore whose P is portal `number` of `asid`.
    pub fn semaphore_of(&self, asid: usize, number: usize) -> Result<usize> {
        if number >= abi::nucleus::NPORTALS {
            return Err(Error::EINVAL);
        }
        match self.code.get(self.domain(asid)?.table.entry(number)).map(|b| b.kind) {
            Some(Kind::Semaphore { id, v: false }) => Ok(id),
            _ => Err(Error::EINVAL),
        }
    }
    /// Ends a semaphore for everybody: who waits on it gets `EDEAD`, and its portals close.
    pub fn semaphore_destroy(&mut self, caller: Caller, number: usize) -> Result<isize> {
        let id = self.semaphore_of(caller.direct, number)?;
        let users = self.code.iter().filter(|(_, b)| matches!(b.kind, Kind::Semaphore { id: of, .. } if of == id));
        let users: alloc::vec::Vec<(u16, u16)> = users.flat_map(|(_, b)| b.users.iter().copied()).collect();
        for (asid, number) in users {
            let _ = self.uninstall(asid as usize, number as usize);
        }
        Ok(0)
    }
}
