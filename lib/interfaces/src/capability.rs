//! Capabilities.

use crate::types::{Alleged, DomainNumber, Identity};
use abi::capability::Info;

interface! {
    "Capability manager (`services/capabilities`, trusted)";
    /// One of the caller's own making → its name
    "capability.create", "smdiii":
        fn create [holder: Identity] (object: usize, rights: usize, flags: usize) -> Result<usize>;
    /// A weaker one → its name
    "capability.reduce", "smdiii": fn reduce [holder: Identity] (name: usize, rights: usize, flags: usize) -> Result<usize>;
    /// Takes back all that was derived from it → how many
    "capability.revoke", "smdi": fn revoke [holder: Identity] (name: usize) -> Result<usize>;
    /// The caller lets go of it
    "capability.drop", "smdi": fn drop_name [holder: Identity] (name: usize) -> Result<()>;
    /// What it is: name, rights, flags, issuer's domain, object
    "capability.info", "smdiw": fn info [holder: Identity] (name: usize, info: Alleged<Info>) -> Result<()>;
    /// The same without the object of capability n of a domain; `ENOENT`; shell
    "capability.list", "smiiw": fn list(domain: DomainNumber, n: usize, info: Alleged<Info>) -> Result<()>;
}
