//! Images that components have in the place of the system's own. Who may open these decides what the system executes: the updates service.

use crate::types::{Alleged, DomainNumber, Identity};
use abi::section::NAME;
use abi::updating::ImageState;

interface! {
    "Images of components (`servers/init`, trusted)";
    /// The caller hands over an update's file (`lib/update`) of so many bytes; what was begun before, and what was to be next, is forgotten. `EINVAL`: none is so long; `ENOSPC`: with what there is that is more than there is room for; `ENOMEM`
    "images.begin", "smdi": fn begin [who: Identity] (bytes: usize) -> Result<()>;
    /// The next bytes of it. `ENOENT`: the caller has begun none; `EINVAL`: they are more than it said
    "images.add", "smdri": fn add [who: Identity] (bytes: Alleged<u8>, length: usize) -> Result<()>;
    /// It is whole, and what its component is to have next; who gives it vouches for it. `EINVAL`: it is none, or is kept apart otherwise than the component; `ENOENT`: there is no such component; `ENOTSUP`: it is one of the
    /// first, or has no image of its own; `EACCESS`: the update opens more than the component may; `ENOMEM`
    "images.put", "smd": fn put [who: Identity] () -> Result<()>;
    /// The component is to have what it had before the last time, which was that version; `ENOENT`: it was not, or that is not known
    "images.before", "smrii": fn before(name: Alleged<u8>, length: usize, version: usize) -> Result<()>;
    /// The component is to have the system's own image; `ENOENT`
    "images.own", "smri": fn own(name: Alleged<u8>, length: usize) -> Result<()>;
    /// A component has what it is to have next, whenever it is started from now on; if it runs, it is replaced by it while it is called → its new domain, 0: it does not run. `ENOENT`: nothing is to be next; as `init.replace`, and then it has what it had
    "images.apply", "smw": fn apply(refused: Alleged<[u8; NAME]>) -> Result<DomainNumber>;
    /// The image that the component has, and what has become of it. `ENOENT`
    "images.state", "smriw": fn state(name: Alleged<u8>, length: usize, out: Alleged<ImageState>) -> Result<()>;
}
