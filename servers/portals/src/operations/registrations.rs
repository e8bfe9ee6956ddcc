//! When the number of a registration may be used again.
//!
//! The name server knows a registration by its number as long as it has its name; blocks know it as long as table entries lead
//! to them. One that has neither name nor blocks is forgotten, and so are all of a domain that has ended, but those by which calls are
//! parked for another: its names are withdrawn under the same lock. Those of boot components stay.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use abi::Error;
use abi::account::Resource;
use abi::name::Name;
use abi::section::{NAME, text};
use fallible::boxed;

use crate::state::registrations::{Circuit, Constants, NameIs, Registration, Text};

impl<M: Machine> Manager<M> {
    /// A number for a new registration.
    pub fn free_registration(&self) -> usize {
        self.registrations.vacant(self.machine.info().portal_count as usize)
    }
    /// Whose the name called `name` of domain `asid` is.
    #[optimize(size)]
    pub fn registration_of(&mut self, asid: usize, name: &str) -> Option<(usize, &mut Registration)> {
        self.registrations.iter_mut().find(|(_, r)| r.has_name() && r.server == asid && text(&r.name[..]) == name)
    }
    /// Domain `asid` has withdrawn `name`.
    #[optimize(size)]
    pub fn withdraw(&mut self, asid: usize, name: &str) {
        if let Some((id, registration)) = self.registration_of(asid, name) {
            registration.withdraw();
            self.forget_unused(id);
        }
    }
    /// A new block leads to what `kind` says.
    pub fn block_made(&mut self, kind: Kind) {
        if let Kind::Registered { registration } = kind
            && let Some(registration) = self.registrations.get_mut(registration as usize)
        {
            registration.blocks += 1;
        }
    }
    /// No table entry leads to a block to registration `id` any more.
    #[inline(always)]
    pub fn block_unused(&mut self, id: usize) {
        if let Some(registration) = self.registrations.get_mut(id) {
            // Those that the image builder made are not counted.
            registration.blocks = registration.blocks.saturating_sub(1);
            if registration.blocks == 0 && !registration.has_name() {
                self.forget_unused(id);
            }
        }
    }
    #[optimize(size)]
    #[inline(never)]
    pub fn forget_registration(&mut self, id: usize) {
        if let Some(gone) = self.registrations.remove(id) {
            self.accounts.refund(gone.charge);
            gone.admission.into_iter().for_each(|admission| self.release_admission(*admission));
        }
    }
    pub(crate) fn forget_unused(&mut self, id: usize) {
        let Some(registration) = self.registrations.get(id) else { return };
        let server = registration.server;
        if registration.has_name() || registration.blocks > 0 {
            return;
        }
        if id < self.machine.info().portal_count as usize {
            return;
        }
        self.forget_registration(id);
        if let Ok(domain) = self.domain_mut(server) {
            domain.provides -= 1;
        }
    }
    /// Registers an entry point of the subject's under a name.
    #[optimize(size)]
    pub fn register(&mut self, caller: Caller, request: &abi::system::Registration) -> Result<isize> {
        let name = Name::new(&request.name)?;
        if name.text().len() >= NAME {
            return Err(Error::EINVAL);
        }
        let specification = match self.parse(crate::operations::registrations::specification(&request.spec)?) {
            Ok(specification) => specification,
            Err(rejected) => return Ok(rejected.code()),
        };
        if request.entry >= abi::address::WINDOW_VA as u64 || request.stacks > 64 {
            return Err(Error::EINVAL);
        }
        let id = self.free_registration();
        self.registrations.room_at(id)?;
        let mut short = boxed([0; NAME])?;
        short.copy_from_slice(&name.bytes()[..NAME]);
        let constants = Constants::new(request.constants, &specification)?;
        let admission = self.first_admission(caller, request)?;
        let charge = match self.charge(caller.subject, Resource::Names, 1) {
            Ok(charge) => charge,
            Err(error) => {
                admission.into_iter().for_each(|admission| self.release_admission(*admission));
                return Err(error);
            }
        };
        let bound = self.name(caller.subject, &name, id).and_then(|name_is| {
            let stacks = (0..request.stacks).try_for_each(|_| self.add_stack(caller.subject));
            stacks.map(|()| name_is).inspect_err(|_| {
                if name_is == NameIs::Bound {
                    let _ = self.machine.names_unbind(caller.subject, &name);
                }
            })
        });
        let name_is = match bound {
            Ok(name_is) => name_is,
            Err(error) => {
                self.accounts.refund(charge);
                admission.into_iter().for_each(|admission| self.release_admission(*admission));
                return Err(error);
            }
        };
        let registration = Registration {
            name: Text::Own(short),
            specification,
            entry: request.entry,
            constants,
            server: caller.subject,
            charge,
            admission,
            latest: 0,
            circuits: 0,
            traced: false,
            short_circuit: None,
            name_is,
            blocks: 0,
        };
        self.registrations.set(id, registration);
        self.domain_mut(caller.subject)?.provides += 1;
        self.heal(caller.subject, id);
        Ok(0)
    }
    /// Gives registration `id` of domain `asid` its name, at once or when that takes the place of who has it.
    fn name(&mut self, asid: usize, name: &Name, id: usize) -> Result<NameIs> {
        match self.machine.names_bind(asid, name, id) {
            Ok(()) => Ok(NameIs::Bound),
            Err(Error::EEXIST) if self.awaits(asid, name.text()) => Ok(NameIs::Awaited),
            Err(error) => Err(error),
        }
    }
    /// Withdraws a name. Portals that are open stay open.
    #[optimize(size)]
    pub fn unregister(&mut self, caller: Caller, name: &Name) -> Result<isize> {
        let awaited = |(_, r): (usize, &mut Registration)| r.name_is == NameIs::Awaited;
        if !self.registration_of(caller.subject, name.text()).is_some_and(awaited) {
            self.machine.names_unbind(caller.subject, name)?;
        }
        self.withdraw(caller.subject, name.text());
        Ok(0)
    }
    /// Puts a short circuit before a portal that the caller has registered, for those who open it from now on. The first `c` says
    /// which of the records it works on.
    pub fn register_short_circuit(&mut self, caller: Caller, request: &abi::section::ShortCircuit) -> Result<isize> {
        let domain = self.domain(caller.subject)?;
        if domain.flags & abi::nucleus::flags::TRUSTED == 0 || caller.direct != caller.subject {
            return Err(Error::EACCESS);
        }
        let found = self.registrations.iter_mut().find(|(_, r)| r.server == caller.subject && *r.name == request.name);
        let (_, registration) = found.ok_or(Error::ENOENT)?;
        let (count, mask, stride) = (request.count as usize, request.mask as usize, request.stride as usize);
        let code = request.steps.get(..count).ok_or(Error::EINVAL)?;
        if let Err(refused) = portal::short_circuit::check(code, stride) {
            return Ok(crate::operations::templates::rejected(refused));
        }
        let first = request.records as usize;
        let bytes = mask.checked_add(1).and_then(|n| n.checked_mul(stride)).ok_or(Error::EINVAL)?;
        if bytes > abi::address::PAGE - first % abi::address::PAGE || !first.is_multiple_of(8) {
            return Err(Error::EINVAL);
        }
        let frame = self.machine.frame_of(caller.subject, first)?;
        let place = first % abi::address::PAGE + (registration.constants.all()[0] as usize & mask) * stride;
        let record = (abi::address::supervisor(frame) + place) as u64;
        let words = portal::lower::short_circuit(code);
        registration.short_circuit = Some(boxed(Circuit { words, count, record })?);
        registration.circuits += 1;
        Ok(0)
    }
}

/// The specification in `bytes`: what precedes the first 0; all of it if there is none.
pub fn specification(bytes: &[u8]) -> Result<&str> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).map_err(|_| Error::EINVAL)
}
