// timeout 120
// icount
// expect stdout 4 threads had the lock 12000 times, one at a time
// expect stdout free again, it is had without the scheduler
//! Threads of several priorities preempt each other at moments that differ each time, within taking a lock and letting go of it too: at each
//! moment one has it, nobody waits for a lock that is free, and a lock that nobody waits for any more costs what one costs that nobody
//! has ever waited for.
#![no_std]
#![no_main]
extern crate alloc;

use alloc::vec::Vec;
use core::hint::black_box;
use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::sync::Mutex;
use pebble::{println, thread, time};

const THREADS: usize = 4;
const TIMES: usize = 3000;
/// Ticks of a sleep in which others run.
const SHORTEST: usize = 1000;
/// Taken and let go once without waiting, in instructions: a call of the scheduler alone takes more.
const FREE: u64 = 100;

/// How often it was had, and how many have it.
static LOCK: Mutex<(usize, usize)> = Mutex::new((0, 0));
static TWICE: AtomicUsize = AtomicUsize::new(0);
static WAITED: AtomicUsize = AtomicUsize::new(0);

fn pass_time(steps: usize) {
    for step in 0..steps {
        black_box(step);
    }
}
fn take_often(mut seed: usize) {
    for _ in 0..TIMES {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let random = seed >> 33;
        // The deadline is at a tick, the steps after it at an instruction.
        time::sleep((SHORTEST + random % 8192) as u64);
        pass_time(random / 8192 % 64);
        let mut lock = LOCK.try_lock().unwrap_or_else(|| {
            WAITED.fetch_add(1, Ordering::Relaxed);
            LOCK.lock()
        });
        lock.1 += 1;
        pass_time(random / (8192 * 64) % 512);
        if lock.1 != 1 {
            TWICE.fetch_add(1, Ordering::Relaxed);
        }
        lock.0 += 1;
        lock.1 -= 1;
    }
}
fn cycles() -> u64 {
    let cycles;
    // SAFETY: reads a counter.
    unsafe { core::arch::asm!("rdcycle {}", out(reg) cycles, options(nomem, nostack)) };
    cycles
}
/// Instructions of having the lock once.
fn cost() -> u64 {
    let start = cycles();
    LOCK.lock().0 += 1;
    cycles() - start
}
fn main(_: &pebble::Env) -> i32 {
    let start = |n: usize| thread::spawn(Some(4 + n as u8), move || take_often(n));
    let threads: Vec<_> = (0..THREADS).map(start).collect();
    for thread in threads {
        if thread.and_then(|thread| thread.join()).is_err() {
            return 1;
        }
    }
    if TWICE.load(Ordering::Relaxed) != 0 || WAITED.load(Ordering::Relaxed) < TIMES / 100 {
        println!("{} had it at once, {} waited", TWICE.load(Ordering::Relaxed), WAITED.load(Ordering::Relaxed));
        return 2;
    }
    println!("{THREADS} threads had the lock {} times, one at a time", LOCK.lock().0);
    // The least of some: an interrupt may come in between.
    let least = (0..10).map(|_| cost()).min();
    match least {
        Some(least) if least < FREE => println!("free again, it is had without the scheduler"),
        _ => println!("free again, it takes {least:?}"),
    }
    0
}
pebble::program!(main);
