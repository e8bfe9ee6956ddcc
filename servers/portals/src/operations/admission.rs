//! Rights at run time: besides the manifest, a server says itself who may open what it has registered, and takes it back.
//!
//! The list is of identities, so a number that is given away again is not admitted with it. Who forks passes on what it has open,
//! but not its place in a list. What is withdrawn answers as the portals of the dead do: its number stays taken until its owner
//! closes it, and a call that has begun returns as it would have.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use abi::Error;
use abi::name::Name;
use abi::system::admission;
use alloc::vec::Vec;
use fallible::{TryPush, boxed};

impl<M: Machine> Manager<M> {
    /// Whether the caller may open registration `id` as far as its server says. `EACCESS`.
    #[inline(always)]
    pub fn may_open(&self, caller: Caller, id: usize) -> Result<()> {
        match self.registrations.get(id).map(|r| &r.admitted) {
            Some(Some(admitted)) if !admitted.contains(&self.domain(caller.subject)?.id) => Err(Error::EACCESS),
            _ => Ok(()),
        }
    }
    /// Changes who may open `name`, which the subject has registered: `how` is one of [`admission`]. `ENOENT`: it has registered no
    /// such name; `ESRCH`: there is no domain `asid`; `ENFILE`: the list is full.
    #[optimize(size)]
    pub fn admit(&mut self, caller: Caller, name: &Name, asid: usize, how: usize) -> Result<isize> {
        let client = if asid == 0 { None } else { Some(self.domain(asid)?.id) };
        let (id, _) = self.registration_of(caller.subject, name.text()).ok_or(Error::ENOENT)?;
        let Manager { registrations, domains, .. } = self;
        let registration = registrations.get_mut(id).ok_or(Error::ENOENT)?;
        match how {
            admission::ALL => registration.admitted = None,
            admission::LISTED => {
                if registration.admitted.is_none() {
                    registration.admitted = Some(boxed(Vec::new())?);
                }
                let Some(admitted) = &mut registration.admitted else { return Err(Error::ENOMEM) };
                // Who has ended keeps no place.
                admitted.retain(|other| domains.get(other.number()).is_some_and(|d| d.id == *other));
                if let Some(client) = client.filter(|client| !admitted.contains(client)) {
                    if admitted.len() >= admission::MOST {
                        return Err(Error::ENFILE);
                    }
                    admitted.try_push(client)?;
                }
            }
            admission::WITHDRAWN => {
                match (&mut registration.admitted, client) {
                    (Some(admitted), Some(client)) => admitted.retain(|other| *other != client),
                    (Some(admitted), None) => admitted.clear(),
                    // Where all are admitted, only what is open now is taken back.
                    (None, _) => {}
                }
                self.withdraw_opened(caller.subject, id, asid);
            }
            _ => return Err(Error::EINVAL),
        }
        Ok(0)
    }
    /// Makes what domain `asid`, or each where that is 0, has open to registration `id` of `server` answer for the dead.
    #[optimize(size)]
    fn withdraw_opened(&mut self, server: usize, id: usize, asid: usize) {
        let kind = Kind::Registered { registration: id as u32 };
        // What is freed meanwhile changes the order of the others: until a look through them finds none.
        let mut found = true;
        while core::mem::take(&mut found) {
            let mut n = 0;
            while let Some(&code) = self.domain(server).ok().and_then(|d| d.blocks.get(n)) {
                n += 1;
                while let Some(&user) = self
                    .code
                    .get(code)
                    .filter(|block| block.kind == kind)
                    .and_then(|block| block.users.iter().find(|user| asid == 0 || user.0 as usize == asid))
                {
                    found = true;
                    if let Ok(domain) = self.domain(user.0 as usize) {
                        domain.table.set_entry(user.1 as usize, self.dead.portal);
                    }
                    self.release(code, user.0 as usize, user.1 as usize);
                }
            }
        }
    }
}
