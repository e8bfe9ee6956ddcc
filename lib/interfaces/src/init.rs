//! Components: started, ended, told of, and what they say.

use crate::types::{Alleged, DomainNumber, Identity, Ticks};
use abi::account::DiskParts;
use abi::section::NAME;

interface! {
    "Init (`servers/init`, trusted)";
    /// Starts a component of the system as init's own, by a command line: words separated by blanks → its domain
    "init.spawn", "smri": fn spawn(command: Alleged<u8>, length: usize) -> Result<DomainNumber>;
    /// Loads a component for the caller (`lib/abi/src/spawn.rs`: its name, arguments, variables, and the streams that the caller hands over) → its domain's identity, which does not run yet; `EBUSY`: its account has so many that do not run yet as its share is; `EDEAD`: the caller has ended
    "init.load", "smdri": fn load [starter: Identity] (request: Alleged<u8>, length: usize) -> Result<Identity>;
    /// Lets a domain run that the caller has loaded; `ESRCH`
    "init.start", "smdi": fn start [starter: Identity] (domain: Identity) -> Result<()>;
    /// The name of component n of the system; `ENOENT`
    "init.components", "smiw": fn components(n: usize, name: Alleged<[u8; NAME]>) -> Result<()>;
    /// Stops the machine
    "init.halt", "smi": fn halt(status: usize) -> Result<()>;
    /// The disk has so many pages for components, which are shared out from now on; each account's part and the number that what it has bears on the disk (`lib/abi/src/account.rs`). For who has the file system
    "init.disk", "smiw": fn disk(pages: usize, parts: Alleged<DiskParts>) -> Result<()>;
    /// Of that file of the image the bytes from an offset on that fit in the rest of the window's page → how many; offset `usize::MAX`: its path, 0-terminated. `ENOENT`; files
    "init.file", "smiiw": fn file(number: usize, offset: usize, to: Alleged<u8>) -> Result<usize>;
    /// A line of the caller in the system log, up to 8 since it was started, of up to 256 printable bytes; `EACCESS` for others. A panic is said there. Every component may open what begins with `init.own`
    "init.own.log", "smdri": fn say [domain: Identity] (text: Alleged<u8>, length: usize) -> Result<()>;
    /// The caller takes these signals from now on, bit 2 for number 2. Those that were sent to it before still come. `EACCESS`: it is no component
    "init.own.signals", "smdi": fn take_signals [domain: Identity] (signals: usize) -> Result<()>;
    /// Waits for a signal that is sent to the caller → its number; each is kept once until then. `EACCESS` as above, `EBUSY`: another thread of it waits, `ECANCELED`, `ENOMEM`
    "init.own.signal", "smd": fn next_signal [domain: Identity] () -> Result<usize>;
    /// Sends a domain, or the main component's where that is 0, signal 1 to 63. A number alone is whoever has it now. `ESRCH`: it does not take that one, and what becomes of it then is the sender's matter
    "init.signal", "smii": fn signal(domain: Identity, number: usize) -> Result<()>;
    /// Bytes of the system log from an offset on, as many as fit in the rest of the window's page → how many
    "init.lines", "smiw": fn lines(from: usize, to: Alleged<u8>) -> Result<usize>;
    /// Has a component that runs as init's own succeeded by a new instance of it, or by another component, while it is called: a command line of one name or two → the new domain. Where it
    /// is refused, the window says which portal is in the way, and nothing has changed: `ENOENT`: one in use that the new one lacks, and `ETIMEDOUT`, if it does after 10 s; `EINVAL`: one of another
    /// specification; `EBUSY`: one that is bound to the old one. `ESRCH`: it does not run; `ENOTSUP`: it is a first component, the main one, or has a device; `EBUSY`: it is being replaced; `EDEAD`: it has ended; `ECANCELED`: the new one has
    "init.replace", "smriw": fn replace(command: Alleged<u8>, length: usize, refused: Alleged<[u8; NAME]>) -> Result<DomainNumber>;
    /// Waits until something has happened to a component since its state was that, which `usize::MAX` is not, at most so many ticks of `hrtime` → its state now (`lib/abi/src/supervision.rs`): whether it runs,
    /// and how often it was started. `ENOENT`: there is no such component, or it is one of the first; `EBUSY`: four threads of the caller's account wait; `ETIMEDOUT`; `ECANCELED`; `ENOMEM`
    "init.watch", "smdriii": fn watch [whose: Identity] (name: Alleged<u8>, length: usize, seen: usize, ticks: Ticks) -> Result<usize>;
    /// A component that has failed and waits to be started again is not started; `ESRCH`: it does not wait
    "init.give_up", "smri": fn give_up(name: Alleged<u8>, length: usize) -> Result<()>;
    /// The end of that domain (`inspect.domain` has its identity) does not start its component again; `ESRCH`: init has not started it, or it has ended
    "init.let_end", "smi": fn let_end(domain: Identity) -> Result<()>;
}
