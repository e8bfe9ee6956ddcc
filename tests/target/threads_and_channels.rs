// arguments log=info
// expect stdout three times, none missed
// expect stdout 4950 of 100 values
// expect stdout full: EAGAIN
// expect stdout empty: ETIMEDOUT
// expect stdout awaited: 42 and 43
// expect stdout dropped: its wait is over
// expect stderr threads_and_channels: warning: this is 1
// expect stderr threads_and_channels: info: as the argument says
//! Threads, channels, timers, futures and the log of a program.
#![no_std]
#![no_main]
extern crate alloc;

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};
use pebble::sync::{Channel, Semaphore};
use pebble::{Error, Result, future, log, println, thread, time};

fn channels() -> Result<()> {
    let numbers = Arc::new(Channel::new(3)?);
    let its = Arc::clone(&numbers);
    let sender = thread::spawn(None, move || {
        for number in 0..100u64 {
            let _ = its.send(number);
        }
    })?;
    let mut sum = 0;
    for _ in 0..100 {
        sum += numbers.receive()?;
    }
    sender.join()?;
    println!("{sum} of 100 values");
    let full = (0..4).find_map(|n| numbers.try_send(n).err());
    println!("full: {}", if full == Some((Error::EAGAIN, 3)) { "EAGAIN" } else { "?" });
    (0..3).try_for_each(|_| numbers.receive().map(|_| ()))?;
    println!("empty: {}", if numbers.receive_for(1_000_000) == Err(Error::ETIMEDOUT) { "ETIMEDOUT" } else { "?" });
    Ok(())
}
fn timer() {
    let start = time::hrtime();
    let mut timer = time::Timer::every(100_000_000);
    let missed: u64 = (0..3).map(|_| timer.wait()).sum();
    // With others on the same processor, one or the other may be late.
    let ticks = time::hrtime() - start;
    println!("three times, {}", if ticks >= 300_000_000 + missed * 100_000_000 { "none missed" } else { "too early" });
}
fn futures() -> Result<()> {
    let both = async {
        let (one, other) = (future::of(|| 42)?, future::of(|| 43)?);
        Ok::<_, Error>((one.await, other.await))
    };
    let (one, other) = future::block_on(both)??;
    println!("awaited: {one} and {other}");
    static OVER: AtomicBool = AtomicBool::new(false);
    let never = future::of(|| {
        let _ = Semaphore::new(0).and_then(|never| never.wait_for(u64::MAX));
        OVER.store(true, Ordering::Release);
    })?;
    // It has been polled once, as by an executor whose other task was first.
    future::block_on(async {
        let mut never = never;
        core::future::poll_fn(|context| {
            let _ = core::pin::Pin::new(&mut never).poll(context);
            core::task::Poll::Ready(())
        })
        .await
    })?;
    while !OVER.load(Ordering::Acquire) {
        time::sleep(1_000_000);
    }
    println!("dropped: its wait is over");
    Ok(())
}
fn main(env: &pebble::Env) -> i32 {
    if pebble::logger::start(env).is_err() {
        return 1;
    }
    log::warn!("this is {}", 1);
    log::info!("as the argument says");
    log::debug!("nobody wants to know");
    timer();
    channels().and_then(|()| futures()).map_or_else(|error| error.code() as i32, |()| 0)
}
use core::future::Future;
pebble::program!(main);
