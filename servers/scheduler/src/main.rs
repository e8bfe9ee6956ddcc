//! The scheduler's portals: entry points around the logic of the library.
//!
//! The manifest marks this component `trusted = true, masked = true`: trusted because it reads the boot information when
//! it starts, masked because it runs with interrupts off. A masked domain has one stack and no thread of its own; the
//! image builder registers what is provided here. Each entry carries out its [`Decision`]: it returns, or it goes on
//! with another thread through `nucleus.switch`, which abandons the stack.
#![no_std]
#![no_main]

use abi::section::Grown;
use arch::component::leave;
use core::cell::UnsafeCell;
use scheduler::{Decision, Machine, SEMAPHORES, Scheduler, Semaphore};

pebble::import! {
    SWITCH = "nucleus.switch";
    TIMER_SET = "nucleus.timer_set";
}
pebble::masked_server!();
pebble::provide! {
    "scheduler.start", "sm", start;
    "scheduler.tick", "sx", tick;
    "scheduler.stack_wait", "sx", stack_wait;
    "scheduler.stack_free", "sx", stack_free;
    "scheduler.stack_dead", "smi", stack_dead;
    "scheduler.yield", "sm", r#yield;
    "scheduler.exit", "sm", exit;
    "scheduler.sleep", "smi", sleep;
    "scheduler.set_priority", "smi", set_priority;
    "scheduler.join", "smi", join;
    "scheduler.p", "smci", p;
    "scheduler.v", "smc", v;
    "scheduler.p_id", "smii", p;
    "scheduler.v_id", "smi", v;
    "scheduler.interrupt", "jmi", interrupt;
    "scheduler.semaphore_create", "smi", semaphore_create;
    "scheduler.semaphore_destroy", "smi", semaphore_destroy;
    "scheduler.add", "smiiii", add;
    "scheduler.reap", "sm", reap;
    "scheduler.wake_dead", "smi", wake_dead;
    "scheduler.cancel", "smiii", cancel;
    "scheduler.cancelled", "smi", cancelled;
    "scheduler.waiting", "smi", waiting;
    "scheduler.end_stuck", "smii", end_stuck;
    "scheduler.lock_wait", "smaciii", lock_wait, scheduler::LOCKS as u64 / 2;
    "scheduler.lock_wait_trusted", "smaciii", lock_wait, scheduler::LOCKS as u64;
    "scheduler.lock_release", "smai", lock_release;
    "scheduler.info", "smi", info;
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
struct Global(UnsafeCell<Scheduler<Hart>>);
// SAFETY: only `enter` reaches it.
unsafe impl Sync for Global {}
static SCHEDULER: Global = Global(UnsafeCell::new(Scheduler::new(Hart)));

/// Body of every entry point.
#[inline(always)]
fn enter(entry: impl FnOnce(&mut Scheduler<Hart>) -> Decision) -> isize {
    // SAFETY: the domain is masked: an entry runs to its end before the next one begins, and none calls another.
    carry_out(entry(unsafe { &mut *SCHEDULER.0.get() }))
}
/// The same for an entry with a quick form: where that refuses, `slow` begins anew. Being called last, it costs the
/// quick form nothing.
#[inline(always)]
fn enter_quick(quick: impl FnOnce(&mut Scheduler<Hart>) -> Option<Decision>, slow: impl FnOnce() -> isize) -> isize {
    // SAFETY: as above; the reference is dead before `slow` runs.
    match quick(unsafe { &mut *SCHEDULER.0.get() }) {
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
    match quick(unsafe { &mut *SCHEDULER.0.get() }) {
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
extern "C" fn stack_wait(_cause: usize, _table: usize, asid: usize) -> isize {
    enter(|scheduler| scheduler.stack_wait(asid))
}
extern "C" fn stack_dead(asid: usize) -> isize {
    enter(|scheduler| scheduler.stack_dead(asid))
}
extern "C" fn stack_free(_cause: usize, _table: usize, asid: usize) -> isize {
    enter(|scheduler| scheduler.stack_free(asid))
}
extern "C" fn r#yield() -> isize {
    enter(|scheduler| scheduler.r#yield())
}
extern "C" fn exit() -> isize {
    enter(|scheduler| scheduler.exit())
}
extern "C" fn sleep(ticks: usize) -> isize {
    enter(|scheduler| scheduler.sleep(ticks as isize))
}
extern "C" fn set_priority(priority: usize) -> isize {
    enter(|scheduler| scheduler.set_priority(priority))
}
extern "C" fn join(id: usize) -> isize {
    enter(|scheduler| scheduler.join(id))
}
extern "C" fn p(id: usize, ticks: usize) -> isize {
    let ticks = ticks as isize;
    enter_quick(|scheduler| scheduler.p_quick(id, ticks), || p_slow(id, ticks))
}
#[inline(never)]
extern "C" fn p_slow(id: usize, ticks: isize) -> isize {
    enter(|scheduler| scheduler.p(id, ticks))
}
extern "C" fn v(id: usize) -> isize {
    enter_quick(|scheduler| scheduler.v_quick(id), || v_slow(id))
}
#[inline(never)]
extern "C" fn v_slow(id: usize) -> isize {
    enter(|scheduler| scheduler.v(id))
}
extern "C" fn interrupt(id: usize) -> isize {
    enter_quick(|scheduler| scheduler.v_quick(id), || interrupt_slow(id))
}
#[inline(never)]
extern "C" fn interrupt_slow(id: usize) -> isize {
    enter(|scheduler| scheduler.interrupt(id))
}
extern "C" fn semaphore_create(value: usize) -> isize {
    enter(|scheduler| scheduler.semaphore_create(value))
}
extern "C" fn semaphore_destroy(id: usize) -> isize {
    enter(|scheduler| scheduler.semaphore_destroy(id))
}
extern "C" fn lock_wait(asid: usize, most: usize, address: usize, holder: usize, turns: usize) -> isize {
    enter(|scheduler| scheduler.lock_wait(asid, most, address, holder, turns as isize))
}
extern "C" fn lock_release(asid: usize, address: usize) -> isize {
    enter(|scheduler| scheduler.lock_release(asid, address))
}
extern "C" fn add(index: usize, priority: usize, home: usize, ceiling: usize) -> isize {
    enter(|scheduler| scheduler.add(index, priority as isize, home, ceiling as isize))
}
extern "C" fn reap() -> isize {
    enter(|scheduler| scheduler.reap())
}
extern "C" fn wake_dead(index: usize) -> isize {
    enter(|scheduler| scheduler.wake_dead(index))
}
extern "C" fn cancel(index: usize, how: usize, id: usize) -> isize {
    enter(|scheduler| scheduler.cancel(index, how, id))
}
extern "C" fn cancelled(index: usize) -> isize {
    enter(|scheduler| scheduler.cancelled(index))
}
extern "C" fn end_stuck(index: usize, ends: usize) -> isize {
    enter(|scheduler| scheduler.end_stuck(index, ends != 0))
}
extern "C" fn waiting(index: usize) -> isize {
    enter(|scheduler| scheduler.waiting(index))
}
extern "C" fn info(index: usize) -> isize {
    enter(|scheduler| scheduler.info(index))
}
