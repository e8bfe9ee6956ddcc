//! A portal that is opened by name.

use abi::Error;
use abi::error::check;
use abi::name::Short;
use abi::section::{Imported, text};
use abi::system::{PORTAL_CLOSE, PORTAL_OPEN, SLEEP, TIMEBASE};
use arch::component::{call, time};
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
        self.replace(old, new);
        Ok(())
    }
    /// Puts a number in the place of `old`; of both the one that nobody uses then is closed.
    fn replace(&self, old: usize, new: usize) {
        let unused = match self.0.number.compare_exchange(old as u64, new as u64, Relaxed, Relaxed) {
            Ok(_) => old,
            Err(_) => new,
        };
        if unused != 0 {
            call(PORTAL_CLOSE, [unused]);
        }
    }
    /// Calls it.
    #[inline(always)]
    pub fn call<const N: usize>(&self, arguments: [usize; N]) -> isize {
        call(self.number(), arguments)
    }
    /// Calls it; once more, where it is not open or its server has ended. The next server is waited for, [`PATIENCE`] at most. `EDEAD`: in vain;
    /// who calls later finds none. `ENOENT`: there was none before either.
    pub fn call_anew<const N: usize>(&self, arguments: [usize; N]) -> Result<usize, Error> {
        let through = self.number();
        match check(call(through, arguments)) {
            Err(Error::EPORTAL | Error::EDEAD) => {
                self.await_next(through)?;
                check(self.call(arguments))
            }
            result => result,
        }
    }
    /// Opens the portal of who takes the place of the server that `through` led to.
    #[cold]
    fn await_next(&self, through: usize) -> Result<(), Error> {
        let end = time() + PATIENCE;
        // Another thread may have opened it.
        while self.number() == through {
            match self.reopen() {
                // The name is nobody's between two servers: that says nothing of what the call asks for.
                Err(Error::ENOENT) if through != 0 && time() < end => _ = call(SLEEP, [LATER]),
                Err(Error::ENOENT) if through != 0 => {
                    self.replace(through, 0);
                    return Err(Error::EDEAD);
                }
                result => return result,
            }
        }
        Ok(())
    }
}
/// For how long a server that has died is waited for, in units of the time register, and ticks of `hrtime` after which it is looked for again.
pub const PATIENCE: u64 = 2 * TIMEBASE;
pub const LATER: usize = 1_000_000;
