//! Updates: signed images of components, tried out and kept.

use crate::types::{Alleged, Identity};
use abi::updating::{Kept, Request};

interface! {
    "Updates (`services/updates`)";
    /// Begins an update's file of so many bytes; what its account has begun before is forgotten. `EINVAL`: none is so long; `ENOMEM`
    "updates.begin", "npdi": fn begin [client: Identity] (bytes: usize) -> Result<()>;
    /// The next bytes of the file that the caller has begun, which lie in one page. `ENOENT`: it has begun none; `EINVAL`: they are more than it said; `ENOMEM`
    "updates.add", "npdri": fn add [client: Identity] (bytes: Alleged<u8>, length: usize) -> Result<()>;
    /// The component of that name has it from now on: it is replaced while it is called, kept on the disk, and on trial. `EACCESS`: nobody has signed it who may, or it opens more than the component may; `EINVAL`: it is none, of another component, for another system, or kept apart otherwise; `EEXIST`: an older version, or the same;
    /// `ENOENT`: there is no file, or no such component; `ENOTSUP`: it has no image of its own; as `init.replace`, and as to write a file; in each case nothing has changed, and the request says why
    "updates.update", "npdw": fn update [client: Identity] (request: Alleged<Request>) -> Result<()>;
    /// The component has what it had before its update. `ENOENT`: it has none; as `init.replace`
    "updates.take_back", "npw": fn take_back(request: Alleged<Request>) -> Result<()>;
    /// What component n has of those that have an update. `ENOENT` behind the last; `EAGAIN`: that is not known yet, the system has just started
    "updates.kept", "npiw": fn kept(n: usize, out: Alleged<Kept>) -> Result<()>;
}
