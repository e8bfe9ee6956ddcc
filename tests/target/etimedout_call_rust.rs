// expect stdout in time: 43
// expect stdout too late: ETIMEDOUT, after the deadline and not long after: true
// expect stdout without waiting: ETIMEDOUT
// expect stdout the server finished the calls, and wrote to the page that stayed lent: 2 calls, 7
// expect stdout a server that refuses: EBUSY
// expect stdout a server that dies: EDEAD
// expect stdout a dead server: EDEAD
// expect stdout no such portal: EPORTAL
//! A call with a deadline: the caller goes on when the time is over, the server is not disturbed.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::abi::system::{DOMAIN_FORK, STACK};
use pebble::portal::{Import, call};
use pebble::sync::Semaphore;
use pebble::{Error, Result, println, time};

pebble::import! {
    ADD_ONE = "app.add_one";
    SLOW = "app.slow";
    FINISHED = "app.finished";
    REFUSE = "app.refuse";
    DIE = "app.die";
    NOBODY = "app.nobody";
}
pebble::provide! {
    "app.add_one", "nmi", add_one;
    "app.slow", "nmwi", slow;
    "app.finished", "nm", finished;
    "app.refuse", "nm", refuse;
    "app.die", "nm", die;
}
/// At 1 GHz; a tick is two cycles.
const MILLISECOND: u64 = 500_000;
const PATIENCE: u64 = 10_000 * MILLISECOND;

/// Number of the semaphore, in both domains, that lets the slow calls go on.
static GO: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn add_one(value: usize) -> isize {
    value as isize + 1
}
extern "C" fn slow(window: usize, value: usize) -> isize {
    call(GO.load(Ordering::Relaxed), [usize::MAX]);
    // SAFETY: the caller's page is open until this returns.
    unsafe { (window as *mut u8).write_volatile(value as u8) };
    CALLS.fetch_add(1, Ordering::Relaxed);
    0
}
extern "C" fn finished() -> isize {
    CALLS.load(Ordering::Relaxed) as isize
}
extern "C" fn refuse() -> isize {
    Error::EBUSY.code()
}
extern "C" fn die() -> isize {
    time::sleep(10 * MILLISECOND);
    pebble::thread::exit_domain(1)
}
/// The other domain.
extern "C" fn server() -> ! {
    pebble::run_server(core::ptr::null(), |_| ())
}

static mut LENT: u8 = 0;

fn name(result: Result<usize>) -> &'static str {
    result.map_or_else(|error| error.name(), |_| "worked")
}
fn run() -> Result<()> {
    let go = Semaphore::new(0)?;
    GO.store(go.number(), Ordering::Relaxed);
    let stack = pebble::check(call(STACK, [0x8000]))?;
    let other = pebble::check(call(DOMAIN_FORK, [0, server as *const () as usize, stack]))?;
    let open = |import: &Import| {
        while import.reopen().is_err() {
            time::sleep(MILLISECOND);
        }
    };
    [&ADD_ONE, &SLOW, &FINISHED, &REFUSE, &DIE].into_iter().for_each(open);

    println!("in time: {}", ADD_ONE.call_timed(PATIENCE, [42])?);
    let lent = &raw mut LENT as usize;
    let start = time::hrtime();
    let result = SLOW.call_timed(20 * MILLISECOND, [lent, 7]);
    let took = time::hrtime() - start;
    let punctual = (20 * MILLISECOND..8_000 * MILLISECOND).contains(&took);
    println!("too late: {}, after the deadline and not long after: {punctual}", name(result));
    println!("without waiting: {}", name(SLOW.call_timed(0, [lent, 7])));
    go.post()?;
    go.post()?;
    while FINISHED.call([]) < 2 {
        time::sleep(MILLISECOND);
    }
    // SAFETY: only the server wrote it, and its calls are over.
    let written = unsafe { (lent as *const u8).read_volatile() };
    println!(
        "the server finished the calls, and wrote to the page that stayed lent: {} calls, {written}",
        FINISHED.call([])
    );
    println!("a server that refuses: {}", name(REFUSE.call_timed(PATIENCE, [])));
    println!("a server that dies: {}", name(DIE.call_timed(PATIENCE, [])));
    println!("a dead server: {}", name(ADD_ONE.call_timed(PATIENCE, [42])));
    println!("no such portal: {}", name(NOBODY.call_timed(PATIENCE, [])));
    pebble::thread::wait_domain(other)?;
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| error.code() as i32, |()| 0)
}
pebble::program!(main);
