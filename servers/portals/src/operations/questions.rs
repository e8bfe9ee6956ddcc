//! A portal that is asked who may open a name: the server's own, or another component's, to which the server so delegates its policy
//! (embedded paper, section 4.1).
//!
//! The portal manager asks through an upcall to where the server's portal leads, on the thread that opens, with its lock free: who is
//! asked may make any call, open names included, or die. The answer counts if, when it is there, the name still leads to where the same
//! would be asked, and the opener still cares. Who never answers holds up the opener alone, which may call with a deadline as with any
//! other portal.
//!
//! Three rules keep a server from asking in the portal manager's name for what it may not itself. It names a portal of its own table,
//! through which it could ask the same. None of the first components is asked, which take the portal manager at its word, and no portal
//! that is told who calls. And no more words are passed than were meant to be: what others the portal would take is the portal
//! manager's.
//!
//! In a sandbox a portal leads to the controlling domain, with its number. So that domain is asked as it is called there: it sees the
//! question, and passes it on through a portal of its own or not, as whoever is in its sandbox could have it do at any time.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Caller, Manager};
use crate::state::code::Kind;
use crate::state::registrations::{Admission, Question};
use crate::state::upcalls::{Upcall, What};
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::{NPORTALS, cancelled};
use abi::system::{FIRST_FREE, admission};
use portal::Specification;
use portal::specification::Argument;

/// A question that is being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    question: Question,
    /// Who wants to open the name.
    client: DomainId,
    /// The upcall that asks, a call of which is pending.
    pub upcall: usize,
}
impl Asking {
    /// What it is asked with.
    pub fn words(&self) -> [usize; admission::WORDS] {
        [self.client.number(), self.client.word() as usize, self.question.token as usize]
    }
}

/// Where a portal leads that is to be asked.
struct Target {
    server: usize,
    entry: u64,
    specification: Specification,
    constants: [u64; 6],
}

impl<M: Machine> Manager<M> {
    /// Has portal `number` of the subject's table asked, with `token`. `EPORTAL`: it has no such portal; `EDEAD`: it leads to the dead; `EACCESS`: to one of the first components;
    /// `EINVAL`: it is nobody's entry point, takes more than words, or more than [`admission::WORDS`], or is told who calls; `ENFILE`: the
    /// limit of `pagers` is reached.
    #[optimize(size)]
    pub(crate) fn question_for(&mut self, caller: Caller, number: usize, token: u64) -> Result<Question> {
        let target = self.target(caller.subject, number)?;
        if let Some(serial) = self.same_question(caller.subject, &target) {
            return Ok(Question { serial, token });
        }
        let serial = self.questions + 1;
        let Target { server, entry, specification, constants } = target;
        let what = What::Question { serial, constants };
        let ends = (self.roles.own, server);
        self.add_upcall_with(ends, caller.subject, &specification, (entry, &constants), what)?;
        self.questions = serial;
        Ok(Question { serial, token })
    }
    #[optimize(size)]
    fn target(&self, asid: usize, number: usize) -> Result<Target> {
        if !(FIRST_FREE..NPORTALS).contains(&number) {
            return Err(Error::EPORTAL);
        }
        let code = self.domain(asid)?.table.entry(number);
        if code == self.dead.portal || code == self.dead.grant {
            return Err(Error::EDEAD);
        }
        let block = self.code.get(code).ok_or(Error::EPORTAL)?;
        let constants = match block.kind {
            Kind::Registered { registration } => {
                self.registrations.get(registration as usize).ok_or(Error::EINVAL)?.constants.all()
            }
            Kind::Granted { constant, .. } => [constant as u64; 6],
            Kind::Stub => return self.target_of_stub(asid, number, code),
            _ => return Err(Error::EINVAL),
        };
        let (specification, server) = (block.specification, block.server as usize);
        if self.domain(server).map_err(|_| Error::EDEAD)?.flags & BOOT != 0 {
            return Err(Error::EACCESS);
        }
        let words = !specification.is_templated() && specification.passed() <= admission::WORDS;
        let told = |argument: &Argument| matches!(argument, Argument::Domain | Argument::Identity);
        if !specification.enters() || !words || specification.arguments().iter().any(told) {
            return Err(Error::EINVAL);
        }
        Ok(Target { server, entry: block.entry, specification, constants })
    }
    /// Where number `number` of `asid`, which is in a sandbox, leads by the stub at `code`: to the controlling domain, with the number
    /// first, as a call of it would.
    #[optimize(size)]
    fn target_of_stub(&self, asid: usize, number: usize, code: u64) -> Result<Target> {
        let block = self.code.get(code).ok_or(Error::EPORTAL)?;
        let sandbox = &self.domain(asid)?.sandbox;
        if sandbox.controller != block.server as usize || !sandbox.held.has(number) {
            return Err(Error::EPORTAL);
        }
        let letters = match block.specification.arguments() {
            [Argument::Number, words @ ..] if words.iter().all(|word| *word == Argument::Word) => {
                ["npc", "npci", "npcii", "npciii"][words.len().min(admission::WORDS)]
            }
            _ => return Err(Error::EINVAL),
        };
        let specification = self.parse(letters).map_err(|_| Error::EINVAL)?;
        let constants = [number as u64; 6];
        Ok(Target { server: block.server as usize, entry: block.entry, specification, constants })
    }
    /// The question that is asked there already, for the account of domain `asid`.
    #[optimize(size)]
    fn same_question(&self, asid: usize, target: &Target) -> Option<u64> {
        let account = self.domain(asid).ok()?.account;
        let (own, server) = (self.domain(self.roles.own).ok()?.table, self.domain(target.server).ok()?.id);
        self.upcalls.iter().filter(|u| !u.withdrawn && u.to == server && u.charge.account() == account).find_map(|u| {
            let block = self.code.get(own.entry(u.number))?;
            let same = block.entry == target.entry && block.specification == target.specification;
            match u.what {
                What::Question { serial, constants } if same && constants == target.constants => Some(serial),
                _ => None,
            }
        })
    }
    fn asks(upcall: &Upcall, question: Question) -> bool {
        matches!(upcall.what, What::Question { serial, .. } if serial == question.serial)
    }
    /// One less has the question asked: with the last one it goes.
    #[optimize(size)]
    pub(crate) fn forget_question(&mut self, question: Question) {
        let asked = self.registrations.iter().any(|(_, r)| match r.admission.as_deref() {
            Some(Admission::Asked(other)) => other.serial == question.serial,
            _ => false,
        });
        if !asked {
            self.withdraw_upcalls(|upcall| Self::asks(upcall, question));
        }
    }
    /// The question to ask before the subject may open the name at `name`: from here on a call of its upcall is pending. `EDEAD`: who was
    /// to be asked is no more; `EAGAIN`: nobody is to be asked any more.
    #[optimize(size)]
    pub fn ask(&mut self, caller: Caller, name: usize) -> Result<Asking> {
        let id = self.machine.names_lookup(caller.subject, name)?;
        let question = self.asked(id).ok_or(Error::EAGAIN)?;
        let client = self.domain(caller.subject)?.id;
        let asks = self.upcalls.iter().find(|upcall| !upcall.withdrawn && Self::asks(upcall, question));
        let upcall = self.upcall_pending(asks.ok_or(Error::EDEAD)?.number)?;
        Ok(Asking { question, client, upcall })
    }
    fn asked(&self, id: usize) -> Option<Question> {
        match self.registrations.get(id)?.admission.as_deref()? {
            Admission::Asked(question) => Some(*question),
            Admission::Listed(_) => None,
        }
    }
    /// Opens the portal whose name is at `name` for thread `thread`, as [`Manager::open`] does, once `answer` is there. The answer: as
    /// the portal gave it, or `EACCESS` if that is no error. `EAGAIN`: something else would be asked by now; `ECANCELED`: the opener no
    /// longer waits for it.
    #[optimize(size)]
    pub fn open_answered(
        &mut self,
        (caller, thread): (Caller, usize),
        name: usize,
        asking: &Asking,
        answer: isize,
    ) -> Result<usize> {
        match answer {
            0 => {}
            error if error < 0 => return Err(Error::from_code(error).unwrap_or(Error::EACCESS)),
            _ => return Err(Error::EACCESS),
        }
        if self.machine.cancelled(thread) & cancelled::FOR_GOOD != 0 {
            return Err(Error::ECANCELED);
        }
        let id = self.machine.names_lookup(caller.subject, name)?;
        if self.asked(id) != Some(asking.question) || self.domain(caller.subject)?.id != asking.client {
            return Err(Error::EAGAIN);
        }
        self.open_registration(caller, id)
    }
}
