//! Domains of protection: parts of this program that see what they were shown, at the same addresses. See the book, "Domains of
//! protection".

use crate::Result;
use crate::start::Name;
use abi::Error;
use abi::protection::operation;
use abi::rights::Rights;
use interfaces::domains::optional;
use interfaces::types::{Alleged, PortalNumber};

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
fn named(name: &str, call: impl FnOnce(Alleged<abi::name::Name>) -> Result<PortalNumber>) -> Result<usize> {
    let name = Name::new(name)?;
    call(Alleged::lent_on(name.address())).map(|handle| handle.0)
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
            crate::portal::call(abi::system::PORTAL_CLOSE, [self.handle]);
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
