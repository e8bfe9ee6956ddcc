//! What the portal manager asks of the other trusted servers: the memory manager, the scheduler, the name server and the interrupt
//! dispatcher. On the machine each is a call of that server's portal (`hart.rs`); for tests on the host, `fake.rs` answers.
//!
//! All of these are called with the manager's lock held, and none of them calls back. The lock order is the book's, "Locks": the portal
//! manager's lock goes before those of its neighbours.

use crate::Result;
use crate::machine::nucleus_memory::NucleusMemory;
use abi::activity::Doing;
use abi::identity::DomainId;
use abi::memory::{Parties, Replacement, Shown};
use abi::name::Name;
use abi::rights::Rights;
use account::Account;
use arch::paging::Entry;

/// The other trusted servers. Domains are named by number, where nothing can have ended in between.
pub trait Neighbours: Copy {
    // The memory manager.

    /// An address space for domain `id`, paid by `account`; the physical address of its root table.
    fn space_create(self, id: DomainId, account: Account) -> Result<usize>;
    /// Copies the private memory of `from` to `to`. `frames`: address and number of those that windows show.
    fn space_copy(self, from: usize, to: usize, frames: (usize, usize)) -> Result<()>;
    fn space_destroy(self, asid: usize);
    /// A view of the space of domain `task` for domain `id`, paid by `account`; the physical address of its root table.
    fn view_create(self, id: DomainId, task: usize, account: Account) -> Result<usize>;
    /// View `view` is to see what view `model` does, once its space is a copy of that one's ([`Neighbours::space_copy`]).
    fn view_model(self, view: usize, model: usize) -> Result<()>;
    /// Gives back a view, and what its domain has taken in the space but for `frames` that windows show.
    fn view_destroy(self, asid: usize, frames: (usize, usize));
    /// Has domain `by` show pages to the view of domain `to`, with `rights`; with none, hide them. Windows show `frames`.
    fn view_show(self, shown: Shown, range: (usize, usize), frames: (usize, usize)) -> Result<()>;
    /// Puts a copy of what the window at `from` shows, so many bytes, and zeros behind them, in place of a page that view `view` has taken and
    /// nobody has touched.
    fn place_page(self, view: usize, va: usize, rights: Rights, from: (usize, usize)) -> Result<()>;
    /// Has calls of view `view`'s domain to its task, with portal table `callee`, patch pages, or (`cheapest`) as many as are worth it. Windows show `frames`.
    /// The patch's physical address.
    fn view_patch(self, view: usize, callee: u64, cheapest: bool, frames: (usize, usize)) -> Result<usize>;
    /// Makes service stacks and boot information visible in a domain.
    fn trust(self, asid: usize) -> Result<()>;
    /// Makes the memory that a domain is to have supervisor mode's.
    fn make_supervisor(self, asid: usize) -> Result<()>;
    /// Makes the service stack of thread `index`.
    fn service_stack(self, index: usize) -> Result<()>;
    /// Consecutive pages of the nucleus's data, visible here; their physical address.
    fn nucleus_pages(self, count: usize) -> Result<usize>;
    fn nucleus_free(self, pa: usize, count: usize);
    /// Maps pages of zeros. `EEXIST`: there are some.
    fn map(self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<()>;
    /// A stack for a domain; its top.
    fn stack_for(self, asid: usize, bytes: usize) -> Result<usize>;
    fn stack_release(self, asid: usize, top: usize);
    /// Has upcall `number` into `pager` answer the faults of `client` in a range.
    fn pager_for(self, client: DomainId, range: (usize, usize), number: usize, pager: DomainId) -> Result<()>;
    /// Ends that for the range that begins at `start`; the number of its upcall.
    fn pager_remove(self, client: DomainId, start: usize) -> Result<usize>;
    fn pager_forget(self, ended: DomainId);
    /// Whether a call of upcall `number` is pending.
    fn pager_pending(self, number: usize) -> bool;
    /// Counts `seconds` of waiting for pagers; how the client of one ends that has taken too long, or whether any is waited for.
    fn pager_overdue(self, seconds: u64) -> Overdue;
    /// Maps a page, as `memory.page` says. `EAGAIN`: it matters which frames windows show.
    fn page_for(self, by: DomainId, client: DomainId, va: usize, source: usize, with: Replacement) -> Result<isize>;
    /// The same where windows show `frames`.
    fn page_among(
        self,
        parties: Parties,
        va: usize,
        source: usize,
        with: Replacement,
        frames: (usize, usize),
    ) -> Result<isize>;
    /// A fault domain of domain `asid` has the segment that begins at `base`, as `abi::memory::NEW_SEGMENT` says.
    fn make_segment(self, asid: usize, base: usize) -> Result<()>;
    /// Physical address of the frame of a domain's page at `va`, which is its own and writable.
    fn frame_of(self, asid: usize, va: usize) -> Result<usize>;
    /// Takes away all that is mapped in a domain's window slots.
    fn windows_close(self, asid: usize);
    /// Looks for what must not be in page tables: 0, or minus kind and number of a violation.
    fn memory_check(self) -> isize;
    /// Whether a window slot of `server` has `mapped`, and what it shows is `lender`'s to lend.
    fn memory_window(self, server: usize, va: usize, mapped: Entry, shown: Entry, lender: usize) -> Result<()>;
    /// How many window slots of a domain are mapped.
    fn memory_windows(self, asid: usize) -> usize;
    /// A count of the memory manager's.
    fn memory_info(self, what: usize) -> usize;

    // The name server.

    fn names_bind(self, asid: usize, name: &Name, registration: usize) -> Result<()>;
    /// The registration whose name is in the client's window at `name`, if domain `asid` may open it. The window is lent on: the
    /// name server copies and checks the name.
    fn names_lookup(self, asid: usize, name: usize) -> Result<usize>;
    fn names_unbind(self, asid: usize, name: &Name) -> Result<()>;
    /// Has `name`, which is bound, lead to `registration` of domain `asid`, which may provide it.
    fn names_rebind(self, asid: usize, name: &Name, registration: usize);
    fn names_inherit(self, child: usize, parent: usize) -> Result<()>;
    fn names_forget(self, asid: usize);

    // The scheduler.

    /// Takes in thread `index`, of domain `home` with this account; its id.
    fn thread_add(self, index: usize, priority: usize, home: usize, account: Account, ceiling: u8) -> Result<usize>;
    /// What part of the processor an account may have while others wait, in percent.
    fn processor_limit(self, account: Account, percent: usize);
    /// What part an account has had of late, in percent.
    fn processor_used(self, account: Account) -> usize;
    /// What `scheduler.info` says of a thread.
    fn thread_info(self, index: usize) -> usize;
    /// What it waits for; `measures`: it is measured from now on how long threads run.
    fn thread_doing(self, index: usize, measures: bool) -> Result<Doing>;
    /// The index of a thread that has ended, each once.
    fn thread_reap(self) -> Option<usize>;
    /// Ends the wait of thread `index`, which is about to return to the dead.
    fn wake_dead(self, index: usize) -> isize;
    /// Ends the waits of thread `index` from now on: `how` are bits of [`abi::nucleus::cancelled`]. `id`: the thread's, or 0.
    fn cancel(self, index: usize, how: usize, id: usize) -> isize;
    /// Why its waits end.
    fn cancelled(self, index: usize) -> usize;
    /// Wakes who waits for a stack of a domain, a few at a time; whether there are more.
    fn stack_dead(self, asid: usize) -> bool;
    /// Has those look for themselves who wait for a lock that was taken in a domain which is no more.
    fn domain_dead(self, asid: usize);
    /// The semaphore that thread `index` waits for without a time-out.
    fn waiting(self, index: usize) -> Option<usize>;
    /// Whether the thread waits as it did when it was asked for last; `ends`: the wait ends with `EDEAD`.
    fn end_stuck(self, index: usize, ends: bool) -> bool;
    fn semaphore_create(self, value: usize) -> Result<usize>;
    fn semaphore_destroy(self, id: usize);
    fn semaphore_v(self, id: usize);

    // The interrupt dispatcher, and the hart.

    fn interrupt_forget(self, asid: usize);
    /// Units of [`Neighbours::time`] in a second.
    const TIMEBASE: u64;
    /// The time since the machine was started.
    fn time(self) -> u64;
}
/// What is known of the pagers that are waited for.
pub enum Overdue {
    /// This client's has taken too long, and it ends so.
    Client(DomainId, abi::system::Ended),
    /// Whether any is waited for.
    Waited(bool),
}

/// All that is not the portal manager's own.
pub trait Machine: NucleusMemory + Neighbours + 'static {}
impl<M: NucleusMemory + Neighbours + 'static> Machine for M {}
