//! The portals that every domain has from its creation, at the same numbers.
//!
//! Number 0 is "return". Those below are opened by the portal manager when it makes a domain; all others are opened
//! by name and get numbers from [`FIRST_FREE`] up.

/// Units of the time register in a second, on QEMU's `virt` machine.
pub const TIMEBASE: u64 = 10_000_000;

macro_rules! system_portals {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $portal:literal;)*) => {
        $($(#[$doc])* pub const $name: usize = $number;)*
        /// Number and name of each.
        pub const ALL: &[(usize, &str)] = &[$(($number, $portal)),*];
        /// What each number is called here.
        pub const CONSTANTS: &[(&str, usize)] = &[$((stringify!($name), $number)),*];
    };
}

system_portals! {
    /// `(status)`: ends the domain.
    EXIT = 1, "domain.exit";
    /// `()`: ends the thread, and with its last thread a domain that provides nothing.
    THREAD_EXIT = 2, "thread.exit";
    /// `(entry, sp, argument, priority)`: the thread starts at `entry` with `argument` in `a0`; its id.
    /// Priority -1 is the caller's own; it may be anything up to the manifest's.
    THREAD_CREATE = 3, "thread.create";
    /// `()`: lets the next ready thread of the same priority run.
    YIELD = 4, "scheduler.yield";
    /// `(ticks)`: waits that many ticks of `hrtime`.
    SLEEP = 5, "scheduler.sleep";
    /// `()`: the domain's number.
    GET_ASID = 6, "nucleus.asid";
    /// `()`: the thread's index.
    GET_THREAD = 7, "nucleus.thread";
    /// `()`: high-resolution time; a tick is two core cycles.
    HRTIME = 8, "nucleus.hrtime";
    /// `(value)`: opens P and V as two consecutive portals; the number of the first. P takes a time-out in ticks:
    /// 0 tries, a negative one waits for ever.
    SEM_CREATE = 9, "semaphore.create";
    /// `(semaphore)`.
    SEM_DESTROY = 10, "semaphore.destroy";
    /// `(&Registration)`.
    PORTAL_REGISTER = 11, "portal.register";
    /// `(&[u8; NAMELEN])`.
    PORTAL_UNREGISTER = 12, "portal.unregister";
    /// `(&[u8; NAMELEN])`: the portal's number.
    PORTAL_OPEN = 13, "portal.open";
    /// `(portal)`.
    PORTAL_CLOSE = 14, "portal.close";
    /// `(&Child)`.
    PORTAL_CREATE_CHILD = 15, "portal.create_child";
    /// `(entry)`: `entry(asid, portal)` is called after each new portal in the caller's table; 0 ends it.
    PORTAL_NOTIFY = 16, "portal.notify";
    /// `(portal, &mut Description)`.
    PORTAL_INFO = 17, "portal.info";
    /// `(intercept, pc, sp)`: a copy of the domain, with one thread that starts at `pc` on `sp` with `a0` 0; the
    /// child's ASID. `intercept`: where all its portals lead, or one of [`fork`].
    DOMAIN_FORK = 18, "domain.fork";
    /// `(asid, &mut Ended)`: until that child ends.
    DOMAIN_WAIT = 19, "domain.wait";
    /// `(asid)`: of a child.
    DOMAIN_KILL = 20, "domain.kill";
    /// `(pages)`: grows the heap; its old end.
    GROW = 21, "memory.grow";
    /// `(priority)`: of the calling thread, 0…63; not above the manifest's.
    SET_PRIORITY = 22, "scheduler.set_priority";
    /// `(thread id)`: until that thread has ended.
    THREAD_JOIN = 23, "scheduler.join";
    /// `(tp)`: the thread pointer of entries on a queued stack; or [`TP_IS_THREAD`].
    SET_TP = 24, "domain.set_tp";
    /// `(bytes)`: a new stack above a guard page; its top.
    STACK = 25, "memory.stack";
    /// `(device, semaphore)`: each interrupt of the caller's device posts the semaphore once, until `INTERRUPT_DONE`.
    INTERRUPT = 26, "interrupt.attach";
    /// `(device)`: lets the next interrupt of the device come.
    INTERRUPT_DONE = 27, "interrupt.done";
    /// `(asid, start, bytes, entry)`: `entry(asid, cause, address, pc)` answers the faults of that domain, the caller's own
    /// or its child, in the range; `bytes` 0: all others. It returns 0 to repeat the access, an address to go on at, or an
    /// error to let the domain end. `entry` 0 ends it.
    PAGER = 28, "memory.pager";
    /// `(asid, address, source, rights)`: maps a copy of the caller's page at `source`, or zeros where that is 0, there,
    /// with the page-table entry's rights; unmaps it where `rights` is 0. Of registers of the caller's own device, which can not be copied, themselves,
    /// in its own space and not to be executed. With [`crate::memory::IN_SEGMENT`], in a segment of a fault domain; [`crate::memory::NEW_SEGMENT`]
    /// makes one.
    PAGE = 29, "memory.page";
    /// `(&Grant)`: for a server, while it serves a call: makes portals to itself in its caller's table; the first of their
    /// consecutive numbers.
    GRANT = 30, "portal.grant";
    /// `(constant)`: how many portals that the caller granted with that constant a table entry leads to.
    GRANTED = 31, "portal.granted";
    /// `(thread id)`: of a thread of the caller's. Its wait ends with `ECANCELED`, wherever it waits, and so does each later one after a
    /// time slice at most.
    THREAD_CANCEL = 32, "thread.cancel";
    /// `(after, &mut Caller)`: for a server: the first thread, by index, above `after` that is in a call of it; its index, or 0.
    PORTAL_CALLERS = 33, "portal.callers";
    /// `()`: a constant with which the caller has granted portals, none of which is left; each once. `EAGAIN`: there is none.
    PORTAL_GONE = 34, "portal.gone";
    /// `(lock, holder, turns)`: waits for the lock with that key, which `holder` (a thread's index, or a [`crate::lock::Holder`]) holds and runs by at least
    /// the calling thread's priority until it lets go. `turns`: how often locks had been let go when it was seen to be held, from a
    /// call with [`crate::lock::TURNS`]; if that is more by now, there is nothing to wait for. 0: it may be free.
    LOCK_WAIT = 35, "scheduler.lock_wait";
    /// `(lock, whom)`: the calling thread has let go of the lock with that key. Of each domain the first that waits for thread `whom` wakes (an
    /// index: its own, or of who has waited first for holder 0); with 0, the first of the caller's domain that waits for the caller.
    LOCK_RELEASE = 36, "scheduler.lock_release";
    /// `(&[u8; NAMELEN], asid, how, token)`: who may open a portal that the caller has registered, besides what the manifest says: one
    /// of [`admission`].
    PORTAL_ADMIT = 37, "portal.admit";
}

/// The portal of that number and name in a domain's table: a trusted domain's locks have room kept among those that wait for one
/// thread.
pub fn portal_for(trusted: bool, number: usize, name: &'static str) -> &'static str {
    if trusted && number == LOCK_WAIT { "scheduler.lock_wait_trusted" } else { name }
}

/// The first number that `portal_open` gives out, a multiple of 8; between it and the last one above there is nothing.
pub const FIRST_FREE: usize = 40;

/// Of `SET_TP`: each thread's number is its pointer in every entry from another domain through a portal that is made from now on, as it is
/// where it starts. `EINVAL`: in a trusted component, which has its caller's.
pub const TP_IS_THREAD: usize = usize::MAX;
numbers! {
    /// What becomes of the portal table in a `DOMAIN_FORK` without interposition.
    pub mod fork as FORK {
        /// The child has a copy.
        pub const COPIED: usize = 0;
        /// Parent and child share it: changes show in both.
        pub const SHARED: usize = 1;
    }
}
/// What `domain.gate` does.
pub mod gate {
    /// Calls into the domain wait, for two seconds at most from the first one on, until it has ended and the heir has registered their names, or the gate is opened.
    pub const CLOSE: usize = 0;
    /// They are made as before.
    pub const OPEN: usize = 1;
    /// The domain ends: who is in a call of it gets `EDEAD`, and who waits waits for the heir.
    pub const END: usize = 2;
    /// How many connections wait for the heir to register their names, and one more if it has not as many as the domain had.
    pub const AWAITED: usize = 3;
    /// The heir has taken the place, and is tried no more.
    pub const TAKEN: usize = 4;
}
numbers! {
    /// What `PORTAL_ADMIT` changes.
    pub mod admission as ADMIT {
        /// Everybody may open it, as when it was registered.
        pub const ALL: usize = 0;
        /// Only who is admitted may; domain `asid` is from now on, or nobody where that is 0.
        pub const LISTED: usize = 1;
        /// Domain `asid` is no longer admitted, or nobody where that is 0, and what portals they have open answer `EDEAD`. Calls that have
        /// begun go on.
        pub const WITHDRAWN: usize = 2;
        /// The portal with that number, in place of an ASID, of the caller's own table is asked at each open, on the thread that opens: with
        /// the number and the identity of who wants to, and the token. 0: that one may; an error is the answer to the open.
        pub const ASKED: usize = 3;
        /// Most domains that are admitted to one name.
        pub const MOST: usize = 64;
        /// Most of them that a registration itself admits.
        pub const FIRST: usize = 10;
        /// Most words that the portal that is asked may take: as many as it is asked with.
        pub const WORDS: usize = 3;
    }
}

/// Numbers in the table of the graveyard, the domain where threads go on whose domain died.
pub mod graveyard {
    /// Says that the thread has left the dead domain's call.
    pub const LEAVE: usize = super::EXIT;
    /// Ends the thread.
    pub const BURY: usize = super::THREAD_EXIT;
}

/// Numbers in the idle domain's table.
pub mod idle {
    /// Starts the scheduler.
    pub const START: usize = 1;
    /// Waits for an interrupt.
    pub const WAIT: usize = 2;
}

use crate::nucleus::NAMELEN;

shared! {
    /// Argument of `PORTAL_REGISTER`; must not cross a page boundary (so: is aligned to its size rounded up).
    #[repr(C, align(256))]
    #[derive(Clone, Copy)]
    pub struct Registration as registration {
        pub name: [u8; NAMELEN],
        pub spec: [u8; NAMELEN],
        pub entry: u64,
        /// Stacks to add to the domain's queue.
        pub stacks: u64,
        /// The values of the specification's `c`s, in their order.
        pub constants: [u64; 6],
        /// Who may open it from the start: [`admission::ALL`], [`admission::LISTED`] or [`admission::ASKED`].
        pub admission: u64,
        /// Where a portal is asked: its number, and what it is passed.
        pub asked: u64,
        pub token: u64,
        /// Numbers of the domains that are listed; 0: none.
        pub admitted: [u32; admission::FIRST],
    }
}
impl Registration {
    /// One of nothing, which all may open.
    pub const NONE: Registration = Registration {
        name: [0; NAMELEN],
        spec: [0; NAMELEN],
        entry: 0,
        stacks: 0,
        constants: [0; 6],
        admission: admission::ALL as u64,
        asked: 0,
        token: 0,
        admitted: [0; admission::FIRST],
    };
}
const _: () = assert!(size_of::<Registration>() == 256);
/// Most portals of one [`Grant`].
pub const GRANTS: usize = 4;
/// Most portals in one table that one untrusted server has granted, and that all of them have.
pub const GRANTS_OF_ONE: usize = 128;
pub const GRANTS_OF_ALL: usize = 256;
/// Argument of `GRANT`.
#[repr(C, align(256))]
#[derive(Clone, Copy)]
pub struct Grant {
    pub count: u64,
    /// Semaphore of the server's that is posted when the last entry that leads to portals with the constant has gone, which
    /// `PORTAL_GONE` then names; 0: none.
    pub gone: u64,
    /// Value of every `c`; below 2³².
    pub constant: u64,
    pub portals: [Granted; GRANTS],
}
/// One portal of a [`Grant`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Granted {
    pub spec: [u8; crate::lengths::SPEC],
    pub entry: u64,
}
shared! {
    /// Argument of `PORTAL_CREATE_CHILD`.
    #[repr(C, align(128))]
    #[derive(Clone, Copy)]
    pub struct Child as child {
        pub spec: [u8; NAMELEN],
        pub asid: u64,
        pub portal: u64,
        pub constant: u64,
        pub entry: u64,
    }
}
/// Argument of `domain.create`.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct NewDomain {
    pub name: [u8; NAMELEN],
    /// [`crate::nucleus::flags`].
    pub flags: u64,
    /// Number of the account that pays for it.
    pub account: u64,
    /// How it is kept apart ([`crate::isolation::Isolation`]), and the word of the identity of the domain that it is within; or 0.
    pub isolation: u64,
    pub within: u64,
    /// How its calls to that one change what is visible ([`crate::patch::Switch`]).
    pub switch: u64,
    /// Not 0: its portals heal. When it ends, who calls it by a name waits until whoever takes its place has registered that, or its maker has said that nobody does (`domain.inherit`).
    pub heals: u64,
}
shared! {
    /// Result of `PORTAL_INFO`.
    #[repr(C, align(128))]
    #[derive(Clone, Copy)]
    pub struct Description as description {
        pub spec: [u8; NAMELEN],
        pub name: [u8; NAMELEN],
    }
}
shared! {
    /// Result of `PORTAL_CALLERS`: a call that the server is in.
    #[repr(C, align(32))]
    #[derive(Clone, Copy, Default, Debug)]
    pub struct Caller as portal_caller {
        /// ASID of the domain that called; 0: it is dead.
        pub asid: u64,
        /// What the thread does: a state of `scheduler.info`.
        pub state: u64,
        /// Why its waits end early: bits of [`crate::nucleus::cancelled`].
        pub cancelled: u64,
        /// How many calls it is deep in others that the server has called.
        pub beyond: u64,
    }
}
shared! {
    /// How a domain ended: result of `DOMAIN_WAIT`, and an event of the portal manager.
    #[repr(C, align(64))]
    #[derive(Clone, Copy, Default, Debug)]
    pub struct Ended as ended {
        /// Which domain: the word of its identity ([`crate::identity::DomainId`]), whose number is in the lowest 16 bits.
        pub identity: u64,
        /// One of [`ended`].
        pub kind: u64,
        /// The exit status; for a fault, minus the cause.
        pub status: i64,
        /// Of a fault: cause, faulting address, program counter. Of a domain of protection that was killed because its task ended: `cause`
        /// is the task's ASID, else 0.
        pub cause: u64,
        pub address: u64,
        pub pc: u64,
        /// ASID of the domain that answers for the address and did not make the access possible, or 0.
        pub pager: u64,
        /// Number of the account that has paid for it; 0: nobody's.
        pub account: u32,
        /// Seconds after which the pager was not waited for any longer, or 0.
        pub waited: u32,
    }
}
impl Ended {
    /// The number that it had, for people: another domain may have it by now.
    pub const fn number(&self) -> usize {
        self.identity as u16 as usize
    }
}
numbers! {
    /// Values of [`Ended::kind`].
    pub mod ended as ENDED {
        pub const EXIT: u64 = 1;
        pub const FAULT: u64 = 2;
        pub const KILLED: u64 = 3;
    }
}
/// What an exception cause is called (privileged specification, table 4.2).
pub fn cause_text(cause: u64) -> &'static str {
    match cause {
        0 => "misaligned jump",
        1 => "instruction access fault",
        2 => "illegal instruction",
        3 => "breakpoint",
        4 => "misaligned load",
        5 => "load access fault",
        6 => "misaligned store",
        7 => "store access fault",
        12 => "instruction page fault",
        13 => "load page fault",
        15 => "store page fault",
        _ => "unknown cause",
    }
}
