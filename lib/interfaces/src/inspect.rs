//! What the shell, the web console and tests look at.

use crate::types::{Alleged, DomainNumber, PortalNumber, ThreadIndex};
use abi::account::Report;
use abi::activity::Activity;
use abi::count::Calls;
use abi::inspect::{CODE, Counts, Domain, Portal, Violation};
use abi::section::NAME;
use abi::trace::Traced;

interface! {
    "Inspection (`servers/portals`, trusted)";
    /// A domain. `ESRCH`; shell
    "inspect.domain", "smtiw": fn domain [thread: ThreadIndex] (domain: DomainNumber, out: Alleged<Domain>) -> Result<()>;
    /// A portal of a domain's table, or, with domain 0, what was registered with that number: `ENOENT`, `EPORTAL` from the highest on; shell
    "inspect.portal", "smtiiw":
        fn portal [thread: ThreadIndex] (domain: DomainNumber, number: PortalNumber, out: Alleged<Portal>) -> Result<()>;
    /// Its code → how many words; shell
    "inspect.code", "smtiiw":
        fn code [thread: ThreadIndex] (domain: DomainNumber, number: PortalNumber, out: Alleged<[u32; CODE]>) -> Result<usize>;
    /// How many there are of everything, after taking back what nobody needs; shell and tests
    "inspect.counts", "smtw": fn counts [thread: ThreadIndex] (out: Alleged<Counts>) -> Result<()>;
    /// A domain's [counters](counters.md), a page. `ENOENT`: the system counts nothing; shell, web console and tests
    "inspect.calls", "smtiw": fn calls [thread: ThreadIndex] (domain: DomainNumber, out: Alleged<Calls>) -> Result<()>;
    /// 1: [traces](tracing.md) the portals of a name, 0: ends that → connections generated anew. `ENOENT`; shell and tests
    "inspect.trace", "smtri": fn trace [thread: ThreadIndex] (name: Alleged<[u8; NAME]>, wanted: usize) -> Result<usize>;
    /// Events of the trace from that number on, a page. `ENOENT`: nothing was ever traced; shell and tests
    "inspect.traced", "smtiw": fn traced [thread: ThreadIndex] (from: usize, out: Alleged<Traced>) -> Result<()>;
    /// What the first thread does whose index is that or higher → its index, or `ESRCH`; 1: its calls are marked, which a first component may do (`EACCESS`); shell, and `init`
    "inspect.thread", "smtiiw":
        fn thread [thread: ThreadIndex] (from: ThreadIndex, mark: usize, out: Alleged<Activity>) -> Result<ThreadIndex>;
    /// What an account has taken, and its limits; shell and tests
    "inspect.account", "smtiw": fn account [thread: ThreadIndex] (account: usize, out: Alleged<Report>) -> Result<()>;
    /// The first thing found that must not be. `EAGAIN`; interrupts are off meanwhile, so `ENOTSUP` but in systems with `checks = true`; tests
    "inspect.check", "smtw": fn check [thread: ThreadIndex] (out: Alleged<Violation>) -> Result<()>;
}
