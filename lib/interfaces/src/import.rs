//! A portal that is opened by name.

use abi::Error;
use abi::error::check;
use abi::name::Short;
use abi::section::{Imported, text};
use abi::system::{PORTAL_CLOSE, PORTAL_OPEN};
use arch::component::call;
use core::sync::atomic::Ordering::Relaxed;

/// Opens the portal called `name`; its number. `EINVAL`: that is no name; `EACCESS`: the manifest does not allow it; `ENOENT`.
pub fn open(name: &str) -> Result<usize, Error> {
    let name = Short::name(name)?;
    check(call(PORTAL_OPEN, [name.padded().as_ptr() as usize]))
}

/// One that a component imports: what is in its section is opened when it starts.
#[repr(transparent)]
pub struct Import(pub Imported);
impl Import {
    /// One that is not open yet.
    pub const fn new(name: &str) -> Import {
        Import(Imported::new(name))
    }
    /// The portal's number in this domain's table; 0 while it is not open.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.0.number()
    }
    /// Opens it again, after its server died and another has taken its place. Of several threads that do so at one time, one's
    /// number stays, and what nobody uses is closed once: the old number may be another portal's by the time that the last is here.
    pub fn reopen(&self) -> Result<(), Error> {
        let old = self.number();
        let new = open(text(&self.0.name))?;
        let unused = match self.0.number.compare_exchange(old as u64, new as u64, Relaxed, Relaxed) {
            Ok(_) => old,
            Err(_) => new,
        };
        call(PORTAL_CLOSE, [unused]);
        Ok(())
    }
    /// Calls it.
    #[inline(always)]
    pub fn call<const N: usize>(&self, arguments: [usize; N]) -> isize {
        call(self.number(), arguments)
    }
    /// Calls it; once more, where it is not open or its server has ended. Where there is none again, the error says why.
    pub fn call_anew<const N: usize>(&self, arguments: [usize; N]) -> Result<usize, Error> {
        match check(self.call(arguments)) {
            Err(Error::EPORTAL | Error::EDEAD) => {
                self.reopen()?;
                check(self.call(arguments))
            }
            result => result,
        }
    }
}
