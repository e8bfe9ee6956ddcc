// timeout 120
// expect stdout 1000 calls in time and 1000 that took too long have left nothing
//! Calls with a deadline, in time and too late, give back their threads, semaphores and memory. More of them are in the server at
//! one time than it has stacks.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::abi::inspect::Counts;
use pebble::abi::system::{DOMAIN_FORK, STACK};
use pebble::portal::call;
use pebble::sync::Semaphore;
use pebble::{Error, Result, check, println, thread, time};

pebble::import! {
    ADD_ONE = "app.add_one";
    WAIT = "app.wait";
    COUNTS = "inspect.counts";
}
pebble::provide! {
    "app.add_one", "nmi", add_one;
    "app.wait", "nm", wait;
}
/// At 1 GHz; a tick is two cycles.
const MILLISECOND: u64 = 500_000;
/// Calls in a round, of each kind; rounds before and after the first count.
const TOGETHER: usize = 8;
const WARM: usize = 10;
const ROUNDS: usize = 125;
const ATTEMPTS: usize = 3;

/// Number of a semaphore, in both domains, that nobody posts for the calls.
static GO: AtomicUsize = AtomicUsize::new(0);

extern "C" fn add_one(value: usize) -> isize {
    value as isize + 1
}
extern "C" fn wait() -> isize {
    call(GO.load(Ordering::Relaxed), [usize::MAX])
}
/// The other domain.
extern "C" fn server() -> ! {
    pebble::run_server(core::ptr::null(), |_| ())
}

fn counts() -> Result<Counts> {
    let mut counts = Counts::default();
    check(COUNTS.call([&raw mut counts as usize]))?;
    Ok(counts)
}
/// Waits until there are no more threads than `threads`.
fn settle(threads: u64) -> Result<Counts> {
    loop {
        let now = counts()?;
        if now.threads <= threads {
            return Ok(now);
        }
        time::sleep(MILLISECOND);
    }
}
fn round(threads: u64) -> Result<()> {
    for n in 0..TOGETHER {
        if ADD_ONE.call_timed(60_000 * MILLISECOND, [n])? != n + 1 {
            return Err(Error::EINVAL);
        }
    }
    for _ in 0..TOGETHER {
        if WAIT.call_timed(MILLISECOND / 10, []) != Err(Error::ETIMEDOUT) {
            return Err(Error::EINVAL);
        }
    }
    // Nobody posts: what they wait for has ended with their callers' patience.
    settle(threads).map(|_| ())
}
fn run() -> Result<()> {
    let go = Semaphore::new(0)?;
    GO.store(go.number(), Ordering::Relaxed);
    let stack = check(call(STACK, [0x8000]))?;
    check(call(DOMAIN_FORK, [0, server as *const () as usize, stack]))?;
    while ADD_ONE.reopen().is_err() || WAIT.reopen().is_err() {
        time::sleep(MILLISECOND);
    }
    // The server's first thread ends when its portals are open.
    time::sleep(10 * MILLISECOND);
    let threads = counts()?.threads;
    // As many threads at once as a round can have, which of its calls are over when the next one begins being a matter of chance.
    let wait = || thread::spawn(None, || _ = call(GO.load(Ordering::Relaxed), [usize::MAX]));
    let all = [(); 2 * TOGETHER].map(|()| wait());
    (0..2 * TOGETHER).try_for_each(|_| go.post())?;
    for thread in all {
        thread?.join()?;
    }
    (0..WARM).try_for_each(|_| round(threads))?;
    // A lock that two threads happen to meet at keeps a semaphore from then on; what calls leave, they leave every time.
    for _ in 0..ATTEMPTS {
        let before = settle(threads)?;
        (0..ROUNDS).try_for_each(|_| round(threads))?;
        let after = settle(threads)?;
        let pairs = [
            ("threads", before.threads, after.threads),
            ("indices of threads", before.free_threads, after.free_threads),
            ("semaphores", before.semaphores, after.semaphores),
            ("portals", before.users, after.users),
            ("portal code", before.code_bytes, after.code_bytes),
            ("free frames", before.free_frames, after.free_frames),
            ("promised frames", before.promised_frames, after.promised_frames),
        ];
        if pairs.iter().all(|(_, before, after)| before == after) {
            let calls = ROUNDS * TOGETHER;
            println!("{calls} calls in time and {calls} that took too long have left nothing");
            break;
        }
        for (what, before, after) in pairs.into_iter().filter(|(_, before, after)| before != after) {
            println!("{what}: {before} before, {after} after");
        }
    }
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| error.code() as i32, |()| 0)
}
pebble::program!(main);
