//! Several threads raise an event while its handler comes and goes.

use crate::chosen;
use crate::{link, sample};
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use pebble::println;

const RAISERS: u32 = 3;
/// A priority below that of who takes the handler out and uses its memory for something else, while they are where they are.
pub const BELOW: u8 = 10;
/// What the handler says of a number is this, and nothing but the default where there is none.
fn said(number: u32) -> i64 {
    i64::from(number) * 2 + 1
}
const DEFAULT: i64 = -5;

static OVER: AtomicBool = AtomicBool::new(false);
static LEFT: AtomicU32 = AtomicU32::new(RAISERS);
static HANDLED: AtomicU32 = AtomicU32::new(0);
static WRONG: AtomicU32 = AtomicU32::new(0);

fn raises(mut number: u32) {
    while !OVER.load(Ordering::Relaxed) {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let asked = number >> 20;
        let counted = match sample::turn(asked) {
            DEFAULT => continue,
            answer if answer == said(asked) => &HANDLED,
            _ => &WRONG,
        };
        counted.fetch_add(1, Ordering::Relaxed);
    }
    LEFT.fetch_sub(1, Ordering::Release);
}
/// The handler comes and goes so often, and threads of that priority raise its event; where it has a guard, in every other life of its own. It says whether all was as it must be, and nothing that is a matter of chance.
pub fn race(file: &[u8], rounds: u32, priority: Option<u8>, guarded: bool) -> pebble::Result<()> {
    for first in 0..RAISERS {
        pebble::thread::spawn(priority, move || raises(first))?;
    }
    let mut gone = 0;
    for round in 0..rounds {
        if guarded {
            chosen::odd_ones_only(round % 2 == 0);
        }
        let (number, before) = (link(file)?, HANDLED.load(Ordering::Relaxed));
        // It is not taken out before it was entered; how often, differs. Who was interrupted for long in it has ended it.
        let mut ended = None;
        while ended.is_none() && HANDLED.load(Ordering::Relaxed).wrapping_sub(before) <= round % 3 {
            pebble::time::sleep(1);
            ended = dispatch::ended();
        }
        match (ended, dispatch::unlink(number)) {
            (_, Ok(())) | (None, Err(pebble::Error::ENOENT)) => {}
            (Some(end), Err(pebble::Error::ENOENT)) if end.why == dispatch::Why::Time => {}
            (end, unlinked) => println!("{:?} {unlinked:?}", end.map(|end| end.why)),
        }
        // Whoever still comes to what it was finds something else.
        let others: [Vec<u8>; 9] = [40, 160, 168, 152, 176, 144, 64, 16, 32].map(|size| vec![0xa5; size]);
        pebble::time::sleep(1);
        drop(others);
        gone += u32::from(dispatch::linked()?.is_empty());
    }
    OVER.store(true, Ordering::Relaxed);
    while LEFT.load(Ordering::Acquire) > 0 {
        pebble::time::sleep(1);
    }
    println!("came and went {gone} times, {} answers were wrong", WRONG.load(Ordering::Relaxed));
    Ok(())
}
