//! Threads and semaphores.

use crate::types::{CeilingAndAccount, DomainNumber, Identity, SemaphoreId, ThreadId, ThreadIndex, Ticks};

interface! {
    "Scheduler (`servers/scheduler`, masked)";
    /// Called once by the idle thread at boot
    "scheduler.start", "sm": fn start() -> Result<()>;
    /// Timer interrupt (cause 5)
    "scheduler.tick", "sx": fn tick() -> Result<()>;
    /// Waits until a stack of the domain is free: at most so long where that is positive (`ETIMEDOUT`); portal manager
    "scheduler.stack_wait", "smii": fn stack_wait(domain: DomainNumber, ticks: Ticks) -> Result<()>;
    /// Fault `STACK_FREE` of a return from the domain whose number is its third word: wakes the first waiter by priority → 0
    "scheduler.stack_free", "sx": fn stack_free [cause: usize, value: usize, domain: DomainNumber] () -> Result<()>;
    /// The first thread that waits for a stack of a domain that has ended calls again → 1; 0: nobody waits; portal manager
    "scheduler.stack_dead", "smi": fn stack_dead(domain: DomainNumber) -> Result<bool>;
    /// Those that wait for locks taken in a domain that has ended look for themselves, a few at a time, from a place on that is 1 at first → the next place; 0: that were all; portal manager
    "scheduler.domain_dead", "smii": fn domain_dead(domain: DomainNumber, from: usize) -> Result<usize>;
    /// Others of its priority come first
    "scheduler.yield" = YIELD, "sm": fn r#yield() -> Result<()>;
    /// The calling thread ends; 1: call again, since more wait for that than are woken at a time; portal manager
    "scheduler.exit", "sm": fn exit() -> Result<bool>;
    /// Waits so long
    "scheduler.sleep" = SLEEP, "smi": fn sleep(ticks: Ticks) -> Result<()>;
    /// 0…63, not above the thread's ceiling
    "scheduler.set_priority" = SET_PRIORITY, "smi": fn set_priority(priority: usize) -> Result<()>;
    /// Waits until it has ended (not at all if it has)
    "scheduler.join" = THREAD_JOIN, "smi": fn join(thread: ThreadId) -> Result<()>;
    /// Waits for the semaphore, which is the portal's constant: 0 tries (`EAGAIN`), less waits for ever, else `ETIMEDOUT` after so long
    "scheduler.p", "smci": fn p [semaphore: SemaphoreId] (ticks: Ticks) -> Result<()>;
    /// Wakes the first that waits for it, or the next that will
    "scheduler.v", "smc": fn v [semaphore: SemaphoreId] () -> Result<()>;
    /// `scheduler.p` with the semaphore as an argument; trusted components
    "scheduler.p_id", "smii": fn p_id(semaphore: SemaphoreId, ticks: Ticks) -> Result<()>;
    /// `scheduler.v` with the semaphore as an argument; trusted components
    "scheduler.v_id", "smi": fn v_id(semaphore: SemaphoreId) -> Result<()>;
    /// V on that semaphore; jumped to by the interrupt dispatcher
    "scheduler.interrupt", "jmi": fn interrupt(semaphore: SemaphoreId) -> Result<()>;
    /// Its id, above 0; trusted components
    "scheduler.semaphore_create", "smi": fn semaphore_create(value: usize) -> Result<SemaphoreId>;
    /// Waiters wake with `EDEAD`; 1: call again, since there are more than are woken at a time
    "scheduler.semaphore_destroy", "smi": fn semaphore_destroy(semaphore: SemaphoreId) -> Result<bool>;
    /// A thread that is ready, by its index, with a priority (-1: the caller's own, at most the ceiling), the ceiling, and from bit 8 on the account of its home → its id; portal manager
    "scheduler.add", "smiiii":
        fn add(thread: ThreadIndex, priority: usize, home: DomainNumber, ceiling_account: CeilingAndAccount) -> Result<ThreadId>;
    /// A thread that has ended, each once; 0: none; portal manager
    "scheduler.reap", "sm": fn reap() -> Result<ThreadIndex>;
    /// If it waits, the wait ends with `EDEAD`; portal manager
    "scheduler.wake_dead", "smi": fn wake_dead(thread: ThreadIndex) -> Result<()>;
    /// Why (`nucleus::cancelled`; 0: not for the dead any more), and the thread's id or 0: if it waits, the wait ends with `ECANCELED`, and each later one does after a slice at most → why it is cancelled now; portal manager
    "scheduler.cancel", "smiii": fn cancel(thread: ThreadIndex, why: usize, id: ThreadId) -> Result<usize>;
    /// Why it is cancelled, or 0; portal manager
    "scheduler.cancelled", "smi": fn cancelled(thread: ThreadIndex) -> Result<usize>;
    /// The semaphore that it waits for without a time-out, or 0; portal manager
    "scheduler.waiting", "smi": fn waiting(thread: ThreadIndex) -> Result<SemaphoreId>;
    /// Whether it has not been woken since `scheduler.waiting` gave a semaphore for it; where `end` is not 0 its wait ends with `EDEAD` then; portal manager
    "scheduler.end_stuck", "smii": fn end_stuck(thread: ThreadIndex, end: usize) -> Result<bool>;
    /// Waits for the lock with a key, its address for one, which a thread holds (0: nobody knows who), see [Time of others](time.md) → 0: it may be free; turns -1: how often locks have been let go; -2: the name of the calling thread as a holder, by which others are told of its end; `EAGAIN`, `ESRCH`, `EINVAL` (the holder is the caller), `EDEAD`, `EOWNERDEAD`. The portal's constant: most locks of one holder
    "scheduler.lock_wait" = LOCK_WAIT, "smdciii":
        fn lock_wait [domain: Identity, most: usize] (lock: usize, holder: usize, turns: usize) -> Result<usize>;
    /// The same in tables of trusted domains
    "scheduler.lock_wait_trusted", "smdciii":
        fn lock_wait_trusted [domain: Identity, most: usize] (lock: usize, holder: usize, turns: usize) -> Result<usize>;
    /// The calling thread has let go of the lock with that key: of those that wait for that thread, itself or who has waited first for a holder whom nobody knows, the first of each domain wakes; 0: of those in the caller's own domain that wait for the caller, the first. Those of a trusted domain are woken from it alone
    "scheduler.lock_release" = LOCK_RELEASE, "smaii":
        fn lock_release [domain: DomainNumber] (lock: usize, whom: ThreadIndex) -> Result<()>;
    /// An account may have so many percent of the processor while others wait (100: all; -1: as before) → what it has had of the last 100 ms, in percent; portal manager
    "scheduler.share", "smii": fn share(account: usize, percent: usize) -> Result<usize>;
    /// `state << 48 \| priority << 32 \| home`, or `ESRCH`; states 1 running, 2 ready, 3 semaphore, 4 sleeping, 5 joining, 6 stack, 7 ended
    "scheduler.info", "smi": fn info(thread: ThreadIndex) -> Result<usize>;
    /// What it waits for, and how long it has run, as the scheduler's looks have found: the word of an [`abi::activity::Doing`], or `ESRCH`; 1: it is looked from now on, whoever has limits; portal manager
    "scheduler.doing", "smii": fn doing(thread: ThreadIndex, measures: usize) -> Result<usize>;
}
