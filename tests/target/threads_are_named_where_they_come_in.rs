// expect stdout main, and one that it starts: true true
// expect stdout whatever its caller has there, who is called finds the number: true
// expect stdout and the caller has what it had: true
// expect stdout in a copy of the domain: 0
//! A thread's number is in its own register wherever it comes into a component in Rust, so that locks name their holders without asking.
#![no_std]
#![no_main]

use core::arch::asm;
use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::abi::system::{DOMAIN_FORK, STACK};
use pebble::arch::component::thread_register;
use pebble::portal::call;
use pebble::{Result, println, thread, time};

pebble::import! { NAMED = "app.named"; END = "app.end"; }
pebble::provide! {
    "app.named", "npi", named;
    "app.end", "npi", end;
}
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// Whether the calling thread's register has its number, and still has it after a call of somebody else's.
fn is_named() -> bool {
    let first = thread_register();
    let number = thread::index();
    thread::yield_now();
    (first, thread_register()) == (number, number)
}
extern "C" fn named(_: usize) -> isize {
    is_named() as isize
}
extern "C" fn end(_: usize) -> isize {
    thread::exit_domain(!is_named() as i32)
}
/// The other domain. Its first thread is not the one that its register named in the original.
extern "C" fn server() -> ! {
    if !is_named() {
        thread::exit_domain(2);
    }
    pebble::run_server(core::ptr::null(), |_| ())
}
/// A call with something else in the register: its result, and what is there when it has returned.
fn with(word: usize) -> (isize, usize) {
    let before = thread_register();
    // SAFETY: nothing looks at the register until it has what it had.
    unsafe { asm!("mv tp, {}", in(reg) word) };
    let result = NAMED.call([0]);
    let after = thread_register();
    // SAFETY: as above.
    unsafe { asm!("mv tp, {}", in(reg) before) };
    (result, after)
}
fn run() -> Result<()> {
    thread::spawn(None, || STARTED.store(is_named() as usize, Ordering::Relaxed))?.join()?;
    println!("main, and one that it starts: {} {}", is_named(), STARTED.load(Ordering::Relaxed) == 1);
    let stack = pebble::check(call(STACK, [0x8000]))?;
    let other = pebble::check(call(DOMAIN_FORK, [0, server as *const () as usize, stack]))?;
    for import in [&NAMED, &END] {
        while import.reopen().is_err() {
            time::sleep(1_000_000);
        }
    }
    let words = [0, 1, 7, usize::MAX, 1 << 20, thread::index()];
    let all = words.map(with);
    println!("whatever its caller has there, who is called finds the number: {}", all.iter().all(|(result, _)| *result == 1));
    println!("and the caller has what it had: {}", all.iter().zip(words).all(|((_, after), word)| *after == word));
    END.call([0]);
    println!("in a copy of the domain: {}", thread::wait_domain(other)?.status);
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| -error.code() as i32, |()| 0)
}
pebble::program!(main);
