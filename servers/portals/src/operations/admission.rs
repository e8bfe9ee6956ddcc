//! Rights at run time: besides the manifest, a server says itself who may open what it has registered, and takes it back.
//!
//! It lists them, or names a portal that is asked at each open (`questions.rs`). The list is of identities, so a number that is given
//! away again is not admitted with it. Who forks passes on what it has open, but not its place in a list. What is withdrawn answers as
//! the portals of the dead do: its number stays taken until its owner closes it, and a call that has begun returns as it would have.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use crate::state::registrations::Admission;
use abi::Error;
use abi::identity::DomainId;
use abi::name::Name;
use abi::system::{Registration, admission};
use alloc::boxed::Box;
use alloc::vec::Vec;
use fallible::{TryPush, boxed};

impl<M: Machine> Manager<M> {
    /// Whether the caller may open registration `id` as far as its server says. `EACCESS`; `EAGAIN`: a portal is to be asked.
    #[inline(always)]
    pub fn may_open(&self, caller: Caller, id: usize) -> Result<()> {
        match self.registrations.get(id).map(|r| &r.admission) {
            Some(Some(admission)) => self.is_admitted(caller, admission),
            _ => Ok(()),
        }
    }
    #[cold]
    #[inline(never)]
    fn is_admitted(&self, caller: Caller, admission: &Admission) -> Result<()> {
        match admission {
            Admission::Listed(admitted) if admitted.contains(&self.domain(caller.subject)?.id) => Ok(()),
            Admission::Listed(_) => Err(Error::EACCESS),
            Admission::Asked(_) => Err(Error::EAGAIN),
        }
    }
    /// Whether domain `asid` may open registration `id` without being asked about, by itself.
    pub(crate) fn admits(&self, id: usize, asid: usize) -> bool {
        self.may_open(Caller { direct: asid, subject: asid }, id).is_ok()
    }
    /// Changes who may open `name`, which the subject has registered: `how` is one of [`admission`], `asid` and `token` as it says.
    /// `ENOENT`: it has registered no such name; `ESRCH`: there is no domain `asid`; `ENFILE`: the list is full; as for
    /// [`Manager::question_for`].
    #[optimize(size)]
    pub fn admit(&mut self, caller: Caller, name: &Name, (asid, token): (usize, usize), how: usize) -> Result<isize> {
        let (id, _) = self.registration_of(caller.subject, name.text()).ok_or(Error::ENOENT)?;
        match how {
            admission::ALL => self.set_admission(id, None),
            admission::ASKED => {
                let question = self.question_for(caller, asid, token as u64)?;
                let admission = match self.registrations.get_mut(id).and_then(|r| r.admission.as_deref_mut()) {
                    // In its place, which needs no memory.
                    Some(admission) => Some(core::mem::replace(admission, Admission::Asked(question))),
                    None => {
                        let made = boxed(Admission::Asked(question)).inspect_err(|_| self.forget_question(question))?;
                        self.set_admission(id, Some(made));
                        None
                    }
                };
                admission.into_iter().for_each(|old| self.release_admission(old));
            }
            admission::LISTED => self.list(id, asid)?,
            admission::WITHDRAWN => {
                let client = self.client(asid)?;
                match (self.registrations.get_mut(id).and_then(|r| r.admission.as_deref_mut()), client) {
                    (Some(Admission::Listed(admitted)), Some(client)) => admitted.retain(|other| *other != client),
                    (Some(Admission::Listed(admitted)), None) => admitted.clear(),
                    // Where all are admitted, or another says who is, only what is open now is taken back.
                    _ => {}
                }
                self.withdraw_opened(caller.subject, id, asid);
            }
            _ => return Err(Error::EINVAL),
        }
        Ok(0)
    }
    /// Who has number `asid`; 0: nobody is meant. `ESRCH`.
    fn client(&self, asid: usize) -> Result<Option<DomainId>> {
        if asid == 0 { Ok(None) } else { self.domain(asid).map(|d| Some(d.id)) }
    }
    /// From now on only who is listed may open registration `id`, and domain `asid` is, unless that is 0.
    #[optimize(size)]
    fn list(&mut self, id: usize, asid: usize) -> Result<()> {
        let client = self.client(asid)?;
        let listed = |r: &crate::state::registrations::Registration| {
            matches!(r.admission.as_deref(), Some(Admission::Listed(_)))
        };
        if !self.registrations.get(id).is_some_and(listed) {
            let mut admitted = Vec::new();
            client.map_or(Ok(()), |client| admitted.try_push(client))?;
            self.set_admission(id, Some(boxed(Admission::Listed(admitted))?));
            return Ok(());
        }
        let Manager { registrations, domains, .. } = self;
        let Some(Admission::Listed(admitted)) = registrations.get_mut(id).and_then(|r| r.admission.as_deref_mut())
        else {
            return Err(Error::ENOENT);
        };
        // Who has ended keeps no place.
        admitted.retain(|other| domains.get(other.number()).is_some_and(|d| d.id == *other));
        if let Some(client) = client.filter(|client| !admitted.contains(client)) {
            if admitted.len() >= admission::MOST {
                return Err(Error::ENFILE);
            }
            admitted.try_push(client)?;
        }
        Ok(())
    }
    /// Who may open what the subject is about to register, as `request` says. `EINVAL`: it says nothing of the kind.
    #[optimize(size)]
    pub(crate) fn first_admission(&mut self, caller: Caller, request: &Registration) -> Result<Option<Box<Admission>>> {
        match request.admission as usize {
            admission::ALL => Ok(None),
            admission::LISTED => {
                let mut admitted = Vec::new();
                for &asid in request.admitted.iter().filter(|&&asid| asid != 0) {
                    let client = self.domain(asid as usize)?.id;
                    admitted.try_push(client)?;
                }
                boxed(Admission::Listed(admitted)).map(Some)
            }
            admission::ASKED => {
                let question = self.question_for(caller, request.asked as usize, request.token)?;
                boxed(Admission::Asked(question)).map(Some).inspect_err(|_| self.forget_question(question))
            }
            _ => Err(Error::EINVAL),
        }
    }
    #[optimize(size)]
    fn set_admission(&mut self, id: usize, admission: Option<Box<Admission>>) {
        let old = self.registrations.get_mut(id).and_then(|r| core::mem::replace(&mut r.admission, admission));
        old.into_iter().for_each(|old| self.release_admission(*old));
    }
    /// Nothing has this admission any more.
    pub(crate) fn release_admission(&mut self, admission: Admission) {
        if let Admission::Asked(question) = admission {
            self.forget_question(question);
        }
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
                    .and_then(|block| block.users.iter().find(|&&user| self.has_opened(asid, user)))
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
    /// Whether table entry `user` is of domain `asid`, of one that shares its table, or of whose sandbox it is in, where it was opened for
    /// that; `asid` 0: of anyone.
    #[optimize(size)]
    fn has_opened(&self, asid: usize, (user, number): (u16, u16)) -> bool {
        let (user, number) = (user as usize, number as usize);
        let outermost = self.outermost(asid);
        if asid == 0 || user == asid {
            return true;
        }
        if user != outermost && !self.sharers(outermost).any(|sharer| sharer == user) {
            return false;
        }
        let is_guest = |d: &crate::state::domain::Domain<M>| d.sandbox.guests.has(number);
        asid == outermost
            || self.domain(asid).is_ok_and(|d| d.sandbox.held.has(number)) && self.domain(outermost).is_ok_and(is_guest)
    }
}
