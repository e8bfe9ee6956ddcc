//! Portals and threads: what every domain may ask of the portal manager, and what servers and the nucleus ask of it besides.

use crate::types::{Address, Alleged, DomainNumber, Identity, PageRights, PortalNumber, ThreadId, ThreadIndex};
use abi::name::Name;
use abi::section::ShortCircuit;
use abi::system::{Caller, Child, Description, Grant, Registration};
use abi::template::Template;

interface! {
    "Portal manager (`servers/portals`, trusted)";
    /// A portal of the caller's, under a name or, without one, under the number that comes back: see [C](c.md)
    "portal.register" = PORTAL_REGISTER, "smtr": fn register [thread: ThreadIndex] (registration: Alleged<Registration>) -> Result<usize>;
    /// Takes a name of the caller's away: nobody opens it any more
    "portal.unregister" = PORTAL_UNREGISTER, "smtr": fn unregister [thread: ThreadIndex] (name: Alleged<Name>) -> Result<()>;
    /// Who may open a name of the caller's (`abi::system::admission`): a domain, all, or whom the portal with that number admits, which is asked with the token
    "portal.admit" = PORTAL_ADMIT, "smtriii":
        fn admit [thread: ThreadIndex] (name: Alleged<Name>, domain: DomainNumber, how: usize, token: usize) -> Result<()>;
    /// A portal of that name → its number in the caller's table
    "portal.open" = PORTAL_OPEN, "smtr": fn open [thread: ThreadIndex] (name: Alleged<Name>) -> Result<PortalNumber>;
    /// Closes it
    "portal.close" = PORTAL_CLOSE, "smti": fn close [thread: ThreadIndex] (portal: PortalNumber) -> Result<()>;
    /// Puts a portal into the table of a domain that the caller interposes on
    "portal.create_child" = PORTAL_CREATE_CHILD, "smtr": fn create_child [thread: ThreadIndex] (child: Alleged<Child>) -> Result<()>;
    /// The entry point that is called after each new portal in the caller's table, with its number; 0: none
    "portal.notify" = PORTAL_NOTIFY, "smti": fn notify [thread: ThreadIndex] (entry: Address) -> Result<()>;
    /// Name and specification of a portal in the caller's table, which its number leads to, or nowhere, until the thread asks about another or the caller closes it
    "portal.info" = PORTAL_INFO, "smtiw":
        fn info [thread: ThreadIndex] (portal: PortalNumber, description: Alleged<Description>) -> Result<()>;
    /// For a server: makes portals to itself in the table of the caller that it serves → the first one's number there
    "portal.grant" = GRANT, "smtr": fn grant [thread: ThreadIndex] (grant: Alleged<Grant>) -> Result<PortalNumber>;
    /// How many portals that the caller has granted with that constant are still in a table
    "portal.granted" = GRANTED, "smti": fn granted [thread: ThreadIndex] (constant: usize) -> Result<usize>;
    /// A constant with which the caller has granted portals, none of which is left; each once. `EAGAIN`: there is none
    "portal.gone" = PORTAL_GONE, "smt": fn gone [thread: ThreadIndex] () -> Result<usize>;
    /// For a server: the first thread, by index, above `after` that is in a call of it → that index, or 0
    "portal.callers" = PORTAL_CALLERS, "smtiw": fn callers [thread: ThreadIndex] (after: ThreadIndex, caller: Alleged<Caller>) -> Result<ThreadIndex>;
    /// Code for a letter of the caller's specifications, and the entry for its faults: see [Argument templates](templates.md); trusted servers
    "portal.template", "smtri": fn template [thread: ThreadIndex] (template: Alleged<Template>, entry: Address) -> Result<usize>;
    /// Code that may end calls of a portal of the caller's before they enter it; trusted servers
    "portal.short_circuit", "smtr": fn short_circuit [thread: ThreadIndex] (code: Alleged<ShortCircuit>) -> Result<()>;
    /// Fault `ARGUMENT` of a template's code: asks its server
    "portal.argument", "sx":
        fn argument [cause: usize, value: usize, callee: usize, caller: Identity, thread: ThreadIndex] () -> Result<()>;
    /// Two domains, or one and 0, lend no pages until they are thawed. `EDEAD`: one is no more, and none is kept from anything; memory manager
    "portal.freeze", "smii": fn freeze(one: Identity, other: Identity) -> Result<()>;
    /// They may lend again; memory manager
    "portal.thaw", "smii": fn thaw(one: Identity, other: Identity) -> Result<()>;
    /// Which of at most 62 frames windows show → bit n for frame n; memory manager
    "portal.shown", "smri": fn shown(frames: Alleged<usize>, count: usize) -> Result<usize>;

    /// A thread that starts at `entry` with `argument` in `a0`; priority -1: the caller's own, at most the manifest's → its id
    "thread.create" = THREAD_CREATE, "smtiiii":
        fn thread_create [thread: ThreadIndex] (entry: Address, sp: Address, argument: usize, priority: usize) -> Result<ThreadId>;
    /// Ends the calling thread, and with its last thread a domain that provides nothing
    "thread.exit" = THREAD_EXIT, "smt": fn thread_exit [thread: ThreadIndex] () -> Result<()>;
    /// Ends a thread in the graveyard; the graveyard's entry 2
    "thread.bury", "smt": fn bury [thread: ThreadIndex] () -> Result<()>;
    /// A thread in the graveyard goes on to whoever called the dead domain; the graveyard's entry 1
    "thread.leave", "smt": fn leave [thread: ThreadIndex] () -> Result<()>;
    /// The wait of a thread of the caller's ends with `ECANCELED`, wherever it waits, and so does each later one after a time slice at most
    "thread.cancel" = THREAD_CANCEL, "smti": fn thread_cancel [thread: ThreadIndex] (id: ThreadId) -> Result<()>;

    /// P and V of a new semaphore as two consecutive portals → the first one's number
    "semaphore.create" = SEM_CREATE, "smti": fn semaphore_create [thread: ThreadIndex] (value: usize) -> Result<PortalNumber>;
    /// Both go; waiters wake with `EDEAD`
    "semaphore.destroy" = SEM_DESTROY, "smti": fn semaphore_destroy [thread: ThreadIndex] (semaphore: PortalNumber) -> Result<()>;
    /// Each interrupt of the caller's device posts the semaphore once, until `interrupt.done`
    "interrupt.attach" = INTERRUPT, "smtii": fn attach [thread: ThreadIndex] (device: usize, semaphore: PortalNumber) -> Result<()>;
    /// Lets the next interrupt of the device come
    "interrupt.done" = INTERRUPT_DONE, "smti": fn done [thread: ThreadIndex] (device: usize) -> Result<()>;

    /// More heap → the old end of it
    "memory.grow" = GROW, "smti": fn grow [thread: ThreadIndex] (pages: usize) -> Result<Address>;
    /// A new stack above a guard page → its top
    "memory.stack" = STACK, "smti": fn stack [thread: ThreadIndex] (bytes: usize) -> Result<Address>;
    /// `entry` answers the faults of a domain, the caller's own or its child, in a range (0 bytes: in all others); 0 ends that
    "memory.pager" = PAGER, "smtiiii":
        fn pager [thread: ThreadIndex] (domain: DomainNumber, start: Address, bytes: usize, entry: Address) -> Result<()>;
    /// A copy of the caller's page at `source`, or of zeros where that is 0, for such a domain, or init's for any; without rights: none
    "memory.page" = PAGE, "smtiiii":
        fn page [thread: ThreadIndex] (domain: DomainNumber, at: Address, source: Address, rights: PageRights) -> Result<()>;
}
