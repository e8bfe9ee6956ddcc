//! Entry points that servers have registered.

use crate::Result;
use abi::identity::DomainId;
use abi::section::NAME;
use alloc::boxed::Box;
use alloc::vec::Vec;
use fallible::boxed;
use portal::Specification;
use portal::specification::ARGUMENTS;

/// A registration's name: a boot component's is where the image builder has put it.
#[derive(Clone, Debug)]
pub enum Text {
    Boot(&'static [u8; NAME]),
    Own(Box<[u8; NAME]>),
}

impl core::ops::Deref for Text {
    type Target = [u8; NAME];
    fn deref(&self) -> &[u8; NAME] {
        match self {
            Text::Boot(name) => name,
            Text::Own(name) => name,
        }
    }
}

/// What stands for the `c`s of a specification, in their order. Most have one at most, and registrations are what there is most of.
#[derive(Debug)]
pub enum Constants {
    One(u64),
    Several(Box<[u64; ARGUMENTS]>),
}
impl Constants {
    /// Those of `all` that `specification` has. `ENOMEM`.
    pub fn new(all: [u64; ARGUMENTS], specification: &Specification) -> Result<Constants> {
        Ok(if specification.constants() > 1 { Constants::Several(boxed(all)?) } else { Constants::One(all[0]) })
    }
    #[inline(always)]
    pub fn used(&self) -> &[u64] {
        match self {
            Constants::One(one) => core::slice::from_ref(one),
            Constants::Several(all) => &all[..],
        }
    }
    /// As many as there can be.
    pub fn all(&self) -> [u64; ARGUMENTS] {
        match self {
            Constants::One(one) => [*one; ARGUMENTS],
            Constants::Several(all) => **all,
        }
    }
}

/// What a registration's name is to the name server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameIs {
    /// It leads to the registration.
    Bound,
    /// It leads to one of the domain that the registration's is to take the place of, and to the registration from then on.
    Awaited,
    /// It is not the registration's any more.
    Withdrawn,
    /// Nor is it the name of the domain's that has registered it, which has ended: calls by it are parked.
    Lost,
}

/// An entry point that a server registered.
#[derive(Debug)]
pub struct Registration {
    pub name: Text,
    pub specification: Specification,
    pub entry: u64,
    pub constants: Constants,
    /// Whose it is: a domain's end takes all its registrations away, but those that are [lost](NameIs::Lost), whose number it keeps.
    pub server: usize,
    pub charge: account::Charge,
    pub name_is: NameIs,
    /// How many blocks lead to it, those that the image builder made left out.
    pub blocks: u32,
    /// Who may open it; `None`: all.
    pub admission: Option<Box<Admission>>,
    /// Supervisor address of the code of the block to it that was opened or closed last, as long as that is kept and what it was generated
    /// from holds; 0: none. Who opens the same gets it.
    pub latest: u64,
    /// What may end calls before they enter it.
    pub short_circuit: Option<Box<Circuit>>,
    /// How many it has had.
    pub circuits: u32,
    /// Calls are written down.
    pub traced: bool,
}
impl Registration {
    /// Whether its domain lives, and has not withdrawn its name.
    pub fn has_name(&self) -> bool {
        matches!(self.name_is, NameIs::Bound | NameIs::Awaited)
    }
    /// Its name is no more.
    pub fn withdraw(&mut self) {
        (self.name_is, self.name) = (NameIs::Withdrawn, Text::Boot(&WITHDRAWN));
    }
    /// The block at `code` is none to open again.
    pub fn forget(&mut self, code: u64) {
        if self.latest == code {
            self.latest = 0;
        }
    }
}

/// Who may open a name.
#[derive(Debug)]
pub enum Admission {
    /// These, by identity: who has a number next is another.
    Listed(Vec<DomainId>),
    /// Whom a portal admits.
    Asked(Question),
}

/// What is asked about who wants to open a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Of the upcall that asks ([`crate::state::upcalls::What::Question`]): no other has had it or will.
    pub serial: u64,
    /// What the server wants to be said with it.
    pub token: u64,
}

/// A short circuit that a server has registered.
#[derive(Clone, Copy, Debug)]
pub struct Circuit {
    pub words: [u32; abi::section::SHORT_CIRCUIT],
    pub count: usize,
    /// Supervisor address of the record.
    pub record: u64,
}

/// The name of a registration without one.
pub static WITHDRAWN: [u8; NAME] = abi::section::padded("(withdrawn)");
