//! Extensions: linked into running components, and taken out.

use crate::types::{Alleged, Identity};
use abi::linking::{Linked, Request};

interface! {
    "Linker (`services/linker`)";
    /// Begins an extension's file of so many bytes; what its account has begun before is forgotten. `EINVAL`: no extension is so long; `ENOMEM`
    "linker.begin", "npdi": fn begin [client: Identity] (bytes: usize) -> Result<()>;
    /// The next bytes of the file that the caller has begun, which lie in one page. `ENOENT`: it has begun none; `EINVAL`: they are more than it said; `ENOMEM`
    "linker.add", "npdri": fn add [client: Identity] (bytes: Alleged<u8>, length: usize) -> Result<()>;
    /// Links it into a component that is a host of extensions, by the name that this has as one → its number, which no other ever has. `EACCESS`: it is refused; `EINVAL`: it does not fit the component; in both the request says why. `ENOENT`: there is no file, no such host, or it has ended; `ENOMEM`; `ENFILE`: the host has as many as it may; `EBUSY`: the host has not answered another; `ETIMEDOUT`: it has not answered, and nothing is linked in
    "linker.link", "npdw": fn link [client: Identity] (request: Alleged<Request>) -> Result<usize>;
    /// Takes the extension of that number out, whoever has linked it in: nobody is in it when this returns. `ENOENT`: it is not linked in; `EBUSY`, `ETIMEDOUT` as above: it may be taken out later
    "linker.unlink", "npi": fn unlink(number: usize) -> Result<()>;
    /// The extension in place n of those that were linked in, or that were taken out lately for what they did. `ENOENT` behind the last
    "linker.linked", "npiw": fn linked(n: usize, out: Alleged<Linked>) -> Result<()>;
}
