//! Names, and who may open them.

use crate::types::{Alleged, DomainNumber};
use abi::name::Name;

interface! {
    "Name server (`servers/names`, trusted)";
    /// Gives a registration a name; `EACCESS` (not in `provides`), `EEXIST`; portal manager
    "names.bind", "smiri": fn bind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> Result<()>;
    /// The registration of that name; `EACCESS` (not in `opens`; looked at first), `ENOENT`; portal manager
    "names.lookup", "smir": fn lookup(domain: DomainNumber, name: Alleged<Name>) -> Result<usize>;
    /// Takes a name away; `ENOENT`, `EACCESS` (another's); portal manager
    "names.unbind", "smir": fn unbind(domain: DomainNumber, name: Alleged<Name>) -> Result<()>;
    /// Has a name that is bound lead to that registration of that domain, whose ever it was; `EACCESS` (not in `provides`), `ENOENT`; portal manager
    "names.rebind", "smiri": fn rebind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> Result<()>;
    /// What matches the pattern (`*` at its end matches any rest), the domain may open (right 0) or provide (1); init
    "names.allow", "smiri": fn allow(domain: DomainNumber, pattern: Alleged<Name>, right: usize) -> Result<()>;
    /// The child may what the parent may; portal manager
    "names.inherit", "smii": fn inherit(child: DomainNumber, parent: DomainNumber) -> Result<()>;
    /// Forgets a domain's rules and names; portal manager
    "names.forget", "smi": fn forget(domain: DomainNumber) -> Result<()>;
}
