//! Domains: made, entered, ended, paid for.

use crate::types::{Address, Alleged, DomainNumber, Identity, PageRights, PortalNumber, ThreadId, ThreadIndex};
use abi::account::Limits;
use abi::name::Name;
use abi::section::NAME;
use abi::system::{Ended, NewDomain};

interface! {
    "Domains (`servers/portals`, trusted)";
    /// The calling domain ends
    "domain.exit" = EXIT, "smti": fn exit [thread: ThreadIndex] (status: usize) -> Result<()>;
    /// A copy of the caller, with one thread at `pc` on `sp`; `intercept`: where all its portals lead, or one of `abi::system::fork` → its number
    "domain.fork" = DOMAIN_FORK, "smtiii":
        fn fork [thread: ThreadIndex] (intercept: Address, pc: Address, sp: Address) -> Result<DomainNumber>;
    /// Waits until that child ends
    "domain.wait" = DOMAIN_WAIT, "smtiw": fn wait [thread: ThreadIndex] (domain: DomainNumber, how: Alleged<Ended>) -> Result<()>;
    /// Ends a child
    "domain.kill" = DOMAIN_KILL, "smti": fn kill [thread: ThreadIndex] (domain: DomainNumber) -> Result<()>;
    /// The thread pointer of entries on a queued stack; with `abi::system::TP_IS_THREAD`, the thread's number in each, of who is not trusted
    "domain.set_tp" = SET_TP, "smti": fn set_tp [thread: ThreadIndex] (tp: Address) -> Result<()>;
    /// A domain with the portals that every domain has, and no thread → its identity; init
    "domain.create", "smtr": fn create [thread: ThreadIndex] (domain: Alleged<NewDomain>) -> Result<Identity>;
    /// What an account may take from now on; init
    "domain.limits", "smir": fn limits(account: usize, limits: Alleged<Limits>) -> Result<()>;
    /// That domain, which does not run yet, is to take the place of another: names that both provide stay the other's before it does. `EBUSY`: there is one that does so already, or either
    /// has to do with a replacement; `EINVAL`: it has registered something; `EACCESS`; `ESRCH`; init
    "domain.succeed", "smtii": fn succeed [thread: ThreadIndex] (successor: Identity, predecessor: Identity) -> Result<()>;
    /// Has it do so: all portals to the other lead to it from now on, under the numbers that they have, and so do the names. Else
    /// nothing has changed, and the window says what is in the way: `ENOENT`: a portal that is in use, or, with 1, that the other has registered, and that the successor lacks; `EINVAL`: one of another
    /// specification; `EBUSY`: one that is bound to the other; `EEXIST`: a name that is somebody else's by now; `EDEAD`: the other has ended; init
    "domain.take_over", "smtiiw": fn take_over [thread: ThreadIndex] (successor: Identity, all: usize, refused: Alleged<[u8; NAME]>) -> Result<()>;
    /// Calls of a domain that has ended, and whose portals heal (`NewDomain::heals`), go to that domain, which does not run yet, as soon as it registers their names; 0: nobody takes its place, and they end with
    /// `EDEAD`. The domain may be one that was to take another's place, and has ended. `ESRCH`: no calls wait for it; `EACCESS`; `EINVAL`: it has registered something; init
    "domain.inherit", "smtii": fn inherit [thread: ThreadIndex] (heir: Identity, of: Identity) -> Result<()>;
    /// One of `abi::system::gate`, of a domain and of the *heir* that is to take its place and does not run yet: calls into the first wait, and are made as before; or it ends, and they are the heir's as soon as that has registered
    /// their names. The window says what is in the way, or is awaited. `EBUSY`: something that is bound to the domain, or either has to do with a replacement; `EINVAL`: the heir has registered something; `ESRCH`: one has ended, or the
    /// gate is open, as it is two seconds after the first call has come to it; `EACCESS`; init
    "domain.gate", "smtiiiw":
        fn gate [thread: ThreadIndex] (of: Identity, heir: Identity, what: usize, name: Alleged<[u8; NAME]>) -> Result<usize>;
    /// How many threads are in calls that a domain serves; init
    "domain.served", "smti": fn served [thread: ThreadIndex] (domain: Identity) -> Result<usize>;
    /// A thread in a domain that `domain.create` has made, with `argument` in `a0` → its id; init
    "domain.start", "smtiiiii":
        fn start [thread: ThreadIndex] (domain: DomainNumber, entry: Address, sp: Address, argument: usize, priority: usize)
            -> Result<ThreadId>;
    /// Waits until some domain ends; init
    "domain.event", "smtw": fn event [thread: ThreadIndex] (how: Alleged<Ended>) -> Result<()>;
    /// Ends any domain, by its number, or by its identity (`inspect.domain`), which is nobody's (`ESRCH`) once that one is gone; init and shell
    "domain.destroy", "smti": fn destroy [thread: ThreadIndex] (domain: Identity) -> Result<()>;
    /// A domain did what it may not: ends it. With the cause, the address, where, and the domain of the pager that did not answer, or 0; memory manager
    "domain.fault", "smtiiiii":
        fn fault [thread: ThreadIndex] (domain: Identity, cause: usize, address: usize, pc: usize, pager: DomainNumber) -> Result<()>;
    /// Fault `NO_STACK`: gives the call's thread a stack of its account's, adds one to the queue of a domain that interposes, or waits for one, or for who takes the place of a callee that has ended
    "domain.no_stack", "sx":
        fn no_stack [cause: usize, code: usize, callee: Identity, executing: usize, thread: ThreadIndex] () -> Result<()>;
    /// Fault `RESERVE_FREE`: takes a stack that came back out of the queue again
    "domain.reserve_free", "sx":
        fn reserve_free [cause: usize, value: usize, callee: Identity, executing: usize, thread: ThreadIndex] () -> Result<()>;

    /// A new [domain of protection](protection.md) in the caller's task → its handle
    "protection.create", "smtr": fn protection_create [thread: ThreadIndex] (name: Alleged<Name>) -> Result<PortalNumber>;
    /// The component of that name, which is a domain of protection in the caller's task → its handle
    "protection.open", "smtr": fn protection_open [thread: ThreadIndex] (name: Alleged<Name>) -> Result<PortalNumber>;
    /// A new domain of protection in the task of a [delegation](protection.md#delegation) → its handle
    "protection.make", "smtir": fn protection_make [thread: ThreadIndex] (delegation: PortalNumber, name: Alleged<Name>) -> Result<PortalNumber>;
    /// A copy of bytes of one page, and zeros behind them, in place of a page that the handle's domain has taken and nobody has touched
    "protection.place", "smtiiiri":
        fn protection_place [thread: ThreadIndex]
            (handle: PortalNumber, at: Address, rights: PageRights, from: Alleged<u8>, bytes: usize) -> Result<()>;
    /// One of `abi::protection::operation` on a handle, with three words: an entry point, a connection, visibility, a portal passed or withdrawn, the end
    "protection.operate", "smtiiiii":
        fn protection_operate [thread: ThreadIndex]
            (handle: PortalNumber, operation: usize, first: usize, second: usize, third: usize) -> Result<usize>;

    /// The number of the account of a domain, or, for identity 0, of who has called the service; services
    "account.of", "smti": fn account_of [thread: ThreadIndex] (domain: Identity) -> Result<usize>;
    /// Charges an account for what a service keeps for it. `ENFILE`, `ENOMEM`; services
    "account.charge", "smtiii": fn account_charge [thread: ThreadIndex] (account: usize, resource: usize, amount: usize) -> Result<()>;
    /// Gives back what the service itself has charged; services
    "account.refund", "smtiii": fn account_refund [thread: ThreadIndex] (account: usize, resource: usize, amount: usize) -> Result<()>;
}
