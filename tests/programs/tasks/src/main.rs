//! Two tasks on one thread: one awaits a portal that takes its time, the other goes on meanwhile.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicUsize, Ordering};
use executor::Spawner;
use pebble::{Result, future, println, thread};

pebble::interface! {
    mod slow {
        "app.slow": fn twice(number: usize) -> Result<usize>;
    }
}
struct Slow;
impl slow::Server for Slow {
    fn twice(number: usize) -> Result<usize> {
        pebble::time::sleep(200_000_000);
        Ok(2 * number)
    }
}
pebble::serve! { Slow: slow; }

static STEPS: AtomicUsize = AtomicUsize::new(0);

#[executor::task]
async fn ask(number: usize) {
    let answer = match future::of(move || slow::anew::twice(number)) {
        Ok(call) => call.await,
        Err(error) => Err(error),
    };
    // Short steps of the other task have gone by.
    println!("{answer:?}, meanwhile {}", if STEPS.load(Ordering::Relaxed) > 2 { "several steps" } else { "nothing" });
    thread::exit_domain(0);
}
#[executor::task]
async fn step() {
    while let Ok(time) = future::after(20_000_000) {
        time.await;
        STEPS.fetch_add(1, Ordering::Relaxed);
    }
}
fn spawn(spawner: Spawner) {
    match (step(), ask(21)) {
        (Ok(one), Ok(other)) => {
            spawner.spawn(one);
            spawner.spawn(other);
        }
        _ => println!("no room for the tasks"),
    }
}
fn main(_: &pebble::Env) {
    let _ = thread::spawn(None, || println!("{}", executor::run(spawn).text()));
}
pebble::server!(main);
