//! TCP and UDP: sockets, whose four portals are as those of a file.

use crate::types::{Alleged, Identity, PortalNumber};
use abi::internet::{Configuration, Found, Interest};
use abi::name::Name;

interface! {
    "TCP/IP (`services/internet`)";
    /// A socket of a kind (`lib/abi/src/internet.rs`) → the first of four portals: read `npcwi`, write `npcri`, seek `npcii`, control `npcdiw`
    "internet.socket", "npdi": fn socket [domain: Identity] (kind: usize) -> Result<PortalNumber>;
    /// Waits until one of a list of `Interest`s is ready, so long at most → how many are
    "internet.poll", "npdWii":
        fn poll [domain: Identity] (list: Alleged<Interest>, bytes: usize, milliseconds: usize) -> Result<usize>;
    /// What name servers say of the name of a machine, among addresses of a family (4, 6; 0: both); `ENOENT`: there is none; `ETIMEDOUT`: no server can say now; `EAGAIN`
    "internet.resolve", "npdriw":
        fn resolve [domain: Identity] (name: Alleged<Name>, family: usize, found: Alleged<Found>) -> Result<()>;
    /// Addresses, and how much there is of everything
    "internet.status", "npw": fn status(configuration: Alleged<Configuration>) -> Result<()>;
}
