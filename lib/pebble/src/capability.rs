//! Capabilities: tokens that stand for rights to something of their issuer's.

use crate::Result;
use crate::file::ask;
pub use abi::capability::{Info, flags};

crate::import! {
    CREATE = "capability.create";
    REDUCE = "capability.reduce";
    REVOKE = "capability.revoke";
    DROP = "capability.drop";
    INFO = "capability.info";
}

/// A capability that this domain holds. It is let go of when it is dropped; what was derived from it stays.
#[derive(Debug)]
pub struct Capability(usize);
impl Capability {
    /// One of this domain's own making, for its `object` (any word), with `rights` (any bits) and [`flags`]. `EINVAL`: there are no
    /// such flags.
    pub fn create(object: u64, rights: u64, flags: u64) -> Result<Capability> {
        ask(&CREATE, [object as usize, rights as usize, flags as usize]).map(Capability)
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
        ask(&REDUCE, [self.0, rights as usize, flags as usize]).map(Capability)
    }
    /// Takes back all that was derived from it; how many that were.
    pub fn revoke(&self) -> Result<usize> {
        ask(&REVOKE, [self.0])
    }
    /// What it is. `EBADF`: this domain does not hold it any more.
    pub fn info(&self) -> Result<Info> {
        let mut info = Info::default();
        ask(&INFO, [self.0, &raw mut info as usize]).map(|_| info)
    }
}
impl Drop for Capability {
    fn drop(&mut self) {
        let _ = ask(&DROP, [self.0]);
    }
}
