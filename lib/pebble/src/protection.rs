//! Domains of protection: parts of this program that see what they were shown, at the same addresses. See the book, "Domains of
//! protection".

use crate::Result;
use abi::Error;
use abi::name::{Name, Short};
use abi::protection::operation;
use abi::rights::Rights;
use interfaces::domains::optional;
use interfaces::types::{Address, Alleged, PortalNumber};

/// An entry point: it is passed the procedure's number, the capability, and four more words.
pub type Entry = extern "C" fn(usize, usize, usize, usize, usize, usize) -> isize;

/// A domain of protection, by its handle. One that was made here ends when this is dropped; a component that is one does not.
#[derive(Debug)]
pub struct Protection {
    handle: usize,
    component: bool,
}
/// A connection to one of its entry points.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    portal: usize,
}

/// Calls a portal that takes a name, where a window shows all of it. `EINVAL`: it is too long.
fn named(name: &str, call: impl FnOnce(Alleged<Name>) -> Result<PortalNumber>) -> Result<usize> {
    call(Alleged::lend_unseen(&Short::name(name)?)).map(|handle| handle.0)
}

impl Protection {
    /// A new one, which sees nothing and has no portals but those of every domain.
    pub fn new(name: &str) -> Result<Protection> {
        Ok(Protection { handle: named(name, optional::protection_create)?, component: false })
    }
    /// The component called `name`, which the manifest has as a domain of protection in this one's address space. `ENOENT`: there is no such
    /// component; `EACCESS`: this domain is one of protection itself.
    pub fn open(name: &str) -> Result<Protection> {
        Ok(Protection { handle: named(name, optional::protection_open)?, component: true })
    }
    /// The one of this handle, which a loader has given to this domain.
    pub fn given(handle: usize) -> Protection {
        Protection { handle, component: false }
    }
    /// Ends it, a component too, and gives the handle up.
    pub fn destroy(self) -> Result<()> {
        let ended = self.operate(operation::DESTROY, [0; 3]).map(|_| ());
        core::mem::forget(self);
        ended
    }
    fn operate(&self, what: usize, words: [usize; 3]) -> Result<usize> {
        optional::protection_operate(PortalNumber(self.handle), what, words[0], words[1], words[2])
    }
    /// An entry point with procedures 0 to `procedures` - 1, and `stacks` for as many calls at a time.
    pub fn register(&self, entry: Entry, procedures: usize, stacks: usize) -> Result<()> {
        self.operate(operation::REGISTER, [entry as usize, procedures, stacks]).map(|_| ())
    }
    /// Connects to one.
    pub fn connect(&self, entry: Entry) -> Result<Connection> {
        self.operate(operation::CONNECT, [entry as usize, 0, 0]).map(|portal| Connection { portal })
    }
    /// Lets whom `portal` leads to make `domains` domains of protection in this one's task, of `bytes` together, which it may show and pass
    /// what this one has.
    pub fn delegate(&self, portal: usize, domains: usize, bytes: usize) -> Result<Delegation> {
        Delegation::given(self.handle, portal, domains, bytes)
    }
    /// Takes `bytes`, whole pages, for it, at an address that is free in its task.
    pub fn take(&self, bytes: usize) -> Result<usize> {
        self.operate(operation::TAKE, [bytes, 0, 0])
    }
    /// Puts a copy of `bytes`, which lie in one page, and zeros behind them, in place of a page that it has taken and nobody has touched.
    /// `EFAULT`: it has not taken it; `EAGAIN`: it was touched; `EINVAL`: it is to be written and executed.
    pub fn place(&self, at: usize, bytes: &[u8], rights: Rights) -> Result<()> {
        let from = Alleged::lend_all(bytes);
        optional::protection_place(PortalNumber(self.handle), Address(at), rights.into(), from, bytes.len())
    }
    /// One that a delegation has made: who delegated has a handle of it, too; its number there.
    pub fn give(&self) -> Result<usize> {
        self.operate(operation::GIVE, [0; 3])
    }
    /// Makes whole pages visible to it, in place of what it sees there.
    /// `EACCESS`: this domain has fewer; `EBUSY`: a call of it lends one of the pages.
    pub fn show(&self, start: usize, bytes: usize, rights: Rights) -> Result<()> {
        if rights == Rights::NONE {
            Err(Error::EINVAL)
        } else {
            self.operate(operation::SHOW, [start, bytes, rights.bits() as usize]).map(|_| ())
        }
    }
    /// Makes the program's code and constants visible to it, to be read and executed.
    pub fn show_program(&self) -> Result<()> {
        unsafe extern "C" {
            static __program_start: u8;
            static __program_end: u8;
        }
        let (start, end) = (&raw const __program_start as usize, &raw const __program_end as usize);
        self.show(start, end - start, Rights::READ_EXECUTE)
    }
    /// Makes whole pages invisible to it, from its next access on.
    pub fn hide(&self, start: usize, bytes: usize) -> Result<()> {
        self.operate(operation::SHOW, [start, bytes, 0]).map(|_| ())
    }
    /// Gives it this domain's portal `number`, at the same number.
    pub fn pass(&self, number: usize) -> Result<()> {
        self.operate(operation::PASS, [number, 0, 0]).map(|_| ())
    }
    /// Takes portal `number` away from it.
    pub fn withdraw(&self, number: usize) -> Result<()> {
        self.operate(operation::WITHDRAW, [number, 0, 0]).map(|_| ())
    }
    /// Its number, while it lives.
    pub fn number(&self) -> Result<usize> {
        self.operate(operation::NUMBER, [0; 3])
    }
}
impl Drop for Protection {
    fn drop(&mut self) {
        if self.component {
            let _ = interfaces::portals::own::close(PortalNumber(self.handle));
        } else {
            let _ = self.operate(operation::DESTROY, [0; 3]);
        }
    }
}
impl Connection {
    /// Calls a procedure. `ENOENT`: there is none of that number; `EDEAD`: the domain has ended, or did in the call.
    #[inline(always)]
    pub fn call(&self, procedure: usize, capability: usize, words: [usize; 4]) -> isize {
        crate::portal::call(self.portal, [procedure, capability, words[0], words[1], words[2], words[3]])
    }
    /// The number of its portal, which means the same in all domains of the task.
    pub fn portal(&self) -> usize {
        self.portal
    }
}

/// A right to make domains of protection in somebody's task: given by that one, which withdraws it by dropping this, or accepted by whom it is
/// for.
#[derive(Debug)]
pub struct Delegation {
    number: usize,
}
impl Delegation {
    /// Lets whom `portal` leads to make `domains` domains of protection in this one's task, of `bytes` together, which it may show and pass
    /// what this domain has. `EPORTAL`: the portal leads to no server.
    pub fn new(portal: usize, domains: usize, bytes: usize) -> Result<Delegation> {
        Delegation::given(0, portal, domains, bytes)
    }
    fn given(handle: usize, portal: usize, domains: usize, bytes: usize) -> Result<Delegation> {
        let pages = bytes / abi::address::PAGE;
        let given = optional::protection_operate(PortalNumber(handle), operation::DELEGATE, portal, domains, pages);
        given.map(|number| Delegation { number })
    }
    /// In a call that passed it: what the caller's delegation `number` is called here. `EBADF`: there is none; `EACCESS`: it is for somebody
    /// else.
    pub fn accept(number: usize) -> Result<Delegation> {
        let accepted = optional::protection_operate(PortalNumber(number), operation::ACCEPT, 0, 0, 0);
        accepted.map(|number| Delegation { number })
    }
    /// What it is called in this domain, to be passed to whom it is for.
    pub fn number(&self) -> usize {
        self.number
    }
    /// Makes a domain of protection with it. `ENFILE`: as many as were delegated were made.
    pub fn make(&self, name: &str) -> Result<Protection> {
        let made = |name: Alleged<Name>| optional::protection_make(PortalNumber(self.number), name);
        Ok(Protection { handle: named(name, made)?, component: false })
    }
}
impl Drop for Delegation {
    fn drop(&mut self) {
        let _ = optional::protection_operate(PortalNumber(self.number), operation::DESTROY, 0, 0, 0);
    }
}
