//! The scheduler's portals: entry points around the logic of the library.
//!
//! The manifest marks this component `trusted = true, masked = true`: trusted because it reads the boot information when
//! it starts, masked because it runs with interrupts off. A masked domain has one stack and no thread of its own; the
//! image builder registers what is provided here. Each entry carries out its [`Decision`]: it returns, or it goes on
//! with another thread through `nucleus.switch`, which abandons the stack.
#![no_std]
#![no_main]

use abi::section::Grown;
use arch::Masked;
use arch::component::leave;
use pebble::interfaces::types::{CeilingAndAccount, DomainNumber, Identity, SemaphoreId, ThreadId, ThreadIndex, Ticks};
use scheduler::{Decision, Machine, SEMAPHORES, Scheduler, Semaphore};

pebble::import! {
    SWITCH = "nucleus.switch";
    TIMER_SET = "nucleus.timer_set";
}
pebble::masked_server!();
pebble::serve! {
    scheduler {
        start, tick, stack_wait, stack_free, stack_dead, domain_dead, r#yield, exit, sleep, set_priority, join, p, v, p_id: p,
        v_id: v, interrupt, semaphore_create, semaphore_destroy, add, reap, wake_dead, cancel, cancelled, waiting, end_stuck,
        lock_wait, lock_wait_trusted: lock_wait, lock_release, share, info, doing,
    }
    "scheduler.lock_wait" = scheduler::LOCKS as u64 / 2;
    "scheduler.lock_wait_trusted" = scheduler::LOCKS as u64;
}

/// The records of the semaphores, for the portals.
const RECORDS: *const () = {
    // SAFETY: in the scheduler's static; only its address is taken.
    unsafe { (&raw const SCHEDULER).cast::<u8>().add(Scheduler::<Hart>::SEMAPHORES).cast() }
};
pebble::short_circuit! {
    "scheduler.p", Semaphore::P_SHORT_CIRCUIT, RECORDS, SEMAPHORES as u64 - 1, size_of::<Semaphore>() as u64;
    "scheduler.v", Semaphore::V_SHORT_CIRCUIT, RECORDS, SEMAPHORES as u64 - 1, size_of::<Semaphore>() as u64;
}

/// The tables that grow: with the highest index of a thread, and of a semaphore.
#[used]
#[unsafe(no_mangle)]
static GROWN: [Grown; abi::boot::GROWN] = [grown(0), grown(1), grown(2), grown(abi::boot::GROWN_SEMAPHORES)];
const fn grown(n: usize) -> Grown {
    let (offset, records, stride) = Scheduler::<Hart>::GROWN[n];
    // SAFETY: in the scheduler's static; only its address is taken.
    let start = unsafe { (&raw const SCHEDULER).cast::<u8>().add(offset).cast() };
    Grown { start, records: records as u64, stride: stride as u64 }
}

/// The hart, as a component sees it.
struct Hart;
impl Machine for Hart {
    #[inline(always)]
    fn now(&self) -> u64 {
        pebble::time::time()
    }
    #[inline(always)]
    fn cycles(&self) -> u64 {
        pebble::time::cycles()
    }
    #[inline(always)]
    fn timer_set(&mut self, deadline: u64) {
        TIMER_SET.call([deadline as usize, 0, 0]);
    }
}

/// The one scheduler.
static SCHEDULER: Masked<Scheduler<Hart>> = Masked::new(Scheduler::new(Hart));

/// Body of every entry point.
#[inline(always)]
fn enter(entry: impl FnOnce(&mut Scheduler<Hart>) -> Decision) -> isize {
    // SAFETY: the domain is masked: an entry runs to its end before the next one begins, and none calls another.
    carry_out(unsafe { SCHEDULER.enter(entry) })
}
/// The same for an entry with a quick form: where that refuses, `slow` begins anew. Being called last, it costs the
/// quick form nothing.
#[inline(always)]
fn enter_quick(quick: impl FnOnce(&mut Scheduler<Hart>) -> Option<Decision>, slow: impl FnOnce() -> isize) -> isize {
    // SAFETY: as above; the reference is dead before `slow` runs.
    match unsafe { SCHEDULER.enter(quick) } {
        Some(decision) => carry_out(decision),
        None => slow(),
    }
}
#[inline(always)]
fn carry_out(decision: Decision) -> isize {
    match decision {
        Decision::Return(value) => value,
        // SAFETY: `nucleus.switch` goes on with another thread and does not come back; no reference is live.
        Decision::Switch { thread, value } => unsafe { leave(SWITCH.number(), [thread.index(), value as usize]) },
    }
}

/// The same for the timer's interrupt, which sets the timer and goes on in one call.
#[inline(always)]
fn enter_tick(
    quick: impl FnOnce(&mut Scheduler<Hart>) -> Option<(Decision, u64)>,
    slow: impl FnOnce() -> isize,
) -> isize {
    // SAFETY: as above.
    match unsafe { SCHEDULER.enter(quick) } {
        Some((Decision::Return(value), deadline)) => {
            TIMER_SET.call([deadline as usize, 0, 0]);
            value
        }
        // SAFETY: `nucleus.timer_set` with a thread goes on with that one, as `nucleus.switch` does.
        Some((Decision::Switch { thread, value }, deadline)) => unsafe {
            leave(TIMER_SET.number(), [deadline as usize, thread.index(), value as usize])
        },
        None => slow(),
    }
}

extern "C" fn start() -> isize {
    let info = pebble::boot::info();
    let domains = info.domains.iter().take(info.domain_count as usize);
    let threads = domains.filter(|domain| domain.thread != 0 && domain.thread as usize != scheduler::IDLE.index());
    let boot = threads.map(|domain| (domain.thread as usize, domain.priority as isize, domain.asid as usize));
    enter(|scheduler| scheduler.start(info.cycles_per_time, boot))
}
extern "C" fn tick() -> isize {
    enter_tick(|scheduler| scheduler.tick_quick::<true>(), tick_one)
}
#[inline(never)]
fn tick_one() -> isize {
    enter_tick(|scheduler| scheduler.tick_quick::<false>(), tick_slow)
}
#[inline(never)]
fn tick_slow() -> isize {
    enter_tick(|scheduler| Some(scheduler.tick()), || 0)
}
extern "C" fn stack_wait(domain: DomainNumber, ticks: Ticks) -> isize {
    enter(|scheduler| scheduler.stack_wait(domain.0, ticks.0 as isize))
}
extern "C" fn stack_dead(domain: DomainNumber) -> isize {
    enter(|scheduler| scheduler.stack_dead(domain.0))
}
extern "C" fn domain_dead(domain: DomainNumber, from: usize) -> isize {
    enter(|scheduler| scheduler.domain_dead(domain.0, from))
}
extern "C" fn stack_free(_cause: usize, _value: usize, domain: DomainNumber) -> isize {
    enter(|scheduler| scheduler.stack_free(domain.0))
}
extern "C" fn r#yield() -> isize {
    enter(|scheduler| scheduler.r#yield())
}
extern "C" fn exit() -> isize {
    enter(|scheduler| scheduler.exit())
}
extern "C" fn sleep(ticks: Ticks) -> isize {
    enter(|scheduler| scheduler.sleep(ticks.0 as isize))
}
extern "C" fn set_priority(priority: usize) -> isize {
    enter(|scheduler| scheduler.set_priority(priority))
}
extern "C" fn join(thread: ThreadId) -> isize {
    enter(|scheduler| scheduler.join(thread.0))
}
extern "C" fn p(semaphore: SemaphoreId, ticks: Ticks) -> isize {
    let (id, ticks) = (semaphore.0, ticks.0 as isize);
    enter_quick(|scheduler| scheduler.p_quick(id, ticks), || p_slow(id, ticks))
}
#[inline(never)]
extern "C" fn p_slow(id: usize, ticks: isize) -> isize {
    enter(|scheduler| scheduler.p(id, ticks))
}
extern "C" fn v(semaphore: SemaphoreId) -> isize {
    let id = semaphore.0;
    enter_quick(|scheduler| scheduler.v_quick(id), || v_slow(id))
}
#[inline(never)]
extern "C" fn v_slow(id: usize) -> isize {
    enter(|scheduler| scheduler.v(id))
}
extern "C" fn interrupt(semaphore: SemaphoreId) -> isize {
    let id = semaphore.0;
    enter_quick(|scheduler| scheduler.interrupt_quick(id), || interrupt_slow(id))
}
#[inline(never)]
extern "C" fn interrupt_slow(id: usize) -> isize {
    enter(|scheduler| scheduler.interrupt(id))
}
extern "C" fn semaphore_create(value: usize) -> isize {
    enter(|scheduler| scheduler.semaphore_create(value))
}
extern "C" fn semaphore_destroy(semaphore: SemaphoreId) -> isize {
    enter(|scheduler| scheduler.semaphore_destroy(semaphore.0))
}
extern "C" fn lock_wait(domain: Identity, most: usize, lock: usize, holder: usize, turns: usize) -> isize {
    enter(|scheduler| scheduler.lock_wait(domain.0, most, lock, holder, turns as isize))
}
extern "C" fn lock_release(domain: DomainNumber, lock: usize, whom: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.lock_release(domain.0, lock, whom.0))
}
extern "C" fn add(
    thread: ThreadIndex,
    priority: usize,
    home: DomainNumber,
    ceiling_account: CeilingAndAccount,
) -> isize {
    let (ceiling, account) = (isize::from(ceiling_account.ceiling()), ceiling_account.account());
    enter(|scheduler| scheduler.add(thread.0, priority as isize, home.0, ceiling, account))
}
extern "C" fn reap() -> isize {
    enter(|scheduler| scheduler.reap())
}
extern "C" fn wake_dead(thread: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.wake_dead(thread.0))
}
extern "C" fn cancel(thread: ThreadIndex, why: usize, id: ThreadId) -> isize {
    enter(|scheduler| scheduler.cancel(thread.0, why, id.0))
}
extern "C" fn cancelled(thread: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.cancelled(thread.0))
}
extern "C" fn end_stuck(thread: ThreadIndex, end: usize) -> isize {
    enter(|scheduler| scheduler.end_stuck(thread.0, end != 0))
}
extern "C" fn waiting(thread: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.waiting(thread.0))
}
extern "C" fn share(account: usize, percent: usize) -> isize {
    enter(|scheduler| scheduler.share(account, percent))
}
extern "C" fn info(thread: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.info(thread.0))
}
extern "C" fn doing(thread: ThreadIndex, measures: usize) -> isize {
    enter(|scheduler| scheduler.doing(thread.0, measures != 0))
}
