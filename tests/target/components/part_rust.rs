//! A component in Rust that sums what it is shown, and keeps what it has seen.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::collections::BTreeMap;
use alloc::format;
use pebble::sync::Mutex;

pebble::server!(start);
pebble::provide! {
    "app.rust.sum", "npii", sum;
    "app.rust.said", "npi", said;
}

/// What was summed, by its sum.
static SEEN: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
/// Functions by way of a table, whose addresses are the program's.
static SAYS: [fn(usize) -> alloc::string::String; 2] = [|n| format!("{n} of them"), |n| format!("none of {n}")];

extern "C" fn sum(numbers: usize, count: usize) -> isize {
    // SAFETY: the caller shows so many words; where it does not, this domain ends.
    let numbers = unsafe { core::slice::from_raw_parts(numbers as *const usize, count) };
    let total = numbers.iter().sum();
    SEEN.lock().insert(total, count);
    total as isize
}
/// How long a text about what gave this sum is.
extern "C" fn said(total: usize) -> isize {
    let count = SEEN.lock().get(&total).copied();
    SAYS[count.is_none() as usize](count.unwrap_or(total)).len() as isize
}
fn start(_: &pebble::Env) {}
