//! What happens in the system: who runs, who calls whom. Counters are looked at twice, and what has come in between is shown.

use crate::println;
use crate::views::{all_domains, calls, name, one_portal};
use abi::count::{Calls, FAULTS, INTERRUPTS, TIME};
use abi::section::text;
use alloc::boxed::Box;
use alloc::vec::Vec;
use pebble::time::{TIMEBASE, time, wait};
use pebble::{Error, Result};

/// Portals that are listed.
const LISTED: usize = 12;

/// The counters of all domains, each with its domain's identity.
fn look() -> Result<Vec<(usize, u64, Box<Calls>)>> {
    let mut all = Vec::new();
    for d in all_domains() {
        match calls(d.asid as usize) {
            Ok(calls) => all.push((d.asid as usize, d.identity, calls)),
            // It has ended in between.
            Err(Error::ESRCH) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Shows what happens in so many seconds.
pub fn top(seconds: usize) -> Result<()> {
    if !(1..=3600).contains(&seconds) {
        return Err(Error::EINVAL);
    }
    let before = match look() {
        Err(Error::ENOENT) => {
            println!("this system counts nothing: its manifest does not say \"counters = true\"");
            return Ok(());
        }
        looked => looked?,
    };
    let start = time();
    wait(seconds as u64 * TIMEBASE);
    let (after, passed) = (look()?, (time() - start).max(1));
    // Who is new has begun with zeros; a number that was given away again, too.
    let was = |asid: usize, identity: u64, n: usize| {
        before.iter().find(|(a, i, _)| (*a, *i) == (asid, identity)).map_or(0, |(_, _, calls)| calls.0[n])
    };
    let since = |(asid, identity, calls): &(usize, u64, Box<Calls>), n: usize| {
        calls.0[n].checked_sub(was(*asid, *identity, n)).unwrap_or(calls.0[n])
    };
    let a_second = |count: u64| (count * TIMEBASE).div_ceil(passed);
    let whole: u64 = after.iter().map(|d| since(d, TIME)).sum::<u64>().max(1);
    println!("domain name             processor  calls/s faults/s interrupts/s");
    let mut busiest: Vec<(u64, usize, usize)> = Vec::new();
    for d in &after {
        let called: u64 = (1..d.2.0.len()).filter(|n| ![FAULTS, INTERRUPTS].contains(n)).map(|n| since(d, n)).sum();
        let share = since(d, TIME) * 1000 / whole;
        println!(
            "{:6} {:16} {:6}.{} % {:8} {:8} {:12}",
            d.0,
            name(d.0),
            share / 10,
            share % 10,
            a_second(called),
            a_second(since(d, FAULTS)),
            a_second(since(d, INTERRUPTS))
        );
        busiest.extend((1..d.2.0.len()).filter(|n| ![FAULTS, INTERRUPTS].contains(n)).map(|n| (since(d, n), d.0, n)));
    }
    busiest.retain(|&(calls, _, _)| calls > 0);
    busiest.sort_unstable_by(|a, b| b.cmp(a));
    println!("calls/s  from             portal                       in");
    for &(calls, asid, number) in busiest.iter().take(LISTED) {
        let Ok(portal) = one_portal(asid, number) else { continue };
        let server = if portal.server == 0 { "nucleus".into() } else { name(portal.server as usize) };
        println!("{:7}  {:16} {:28} {server}", a_second(calls), name(asid), text(&portal.name));
    }
    Ok(())
}
