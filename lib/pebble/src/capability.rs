//! Capabilities: tokens that stand for rights to something of their issuer's.

use crate::Result;
pub use abi::capability::{Info, flags};
use interfaces::capability::anew;
use interfaces::types::Alleged;

/// A capability that this domain holds. It is let go of when it is dropped; what was derived from it stays.
#[derive(Debug)]
pub struct Capability(usize);
impl Capability {
    /// One of this domain's own making, for its `object` (any word), with `rights` (any bits) and [`flags`]. `EINVAL`: there are no
    /// such flags.
    pub fn create(object: u64, rights: u64, flags: u64) -> Result<Capability> {
        anew::create(object as usize, rights as usize, flags as usize).map(Capability)
    }
    /// The one that this domain has been passed in an argument with letter `k`.
    pub fn received(name: usize) -> Capability {
        Capability(name)
    }
    /// What this domain calls it: the argument of a portal with letter `k`. One for one use is gone after the call.
    pub fn name(&self) -> usize {
        self.0
    }
    /// A weaker one: of its rights those in `rights`, with more flags. `EACCESS`: it is for one use.
    pub fn reduce(&self, rights: u64, flags: u64) -> Result<Capability> {
        anew::reduce(self.0, rights as usize, flags as usize).map(Capability)
    }
    /// Takes back all that was derived from it; how many that were.
    pub fn revoke(&self) -> Result<usize> {
        anew::revoke(self.0)
    }
    /// What it is. `EBADF`: this domain does not hold it any more.
    pub fn info(&self) -> Result<Info> {
        let mut info = Info::default();
        anew::info(self.0, Alleged::lend_to_write(&mut info)).map(|()| info)
    }
}
impl Drop for Capability {
    fn drop(&mut self) {
        let _ = anew::drop_name(self.0);
    }
}
