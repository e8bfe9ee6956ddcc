//! What a call from a host into its fault domain and back costs, by what the fault domain's code can change: the 1993 paper's Table 2.

use crate::lay_out;
use alloc::string::String;
use alloc::vec::Vec;
use enclosure_logic::Layout;
use enclosure_logic::block::Block;
use enclosure_logic::domain::{FaultDomain, enter};
use pebble::println;
use pebble::time::cycles;

const CALLS: u64 = 100;
const ROUNDS: usize = 10;
/// Instructions of `jalr` and `ret`: a function that does nothing.
const PLAIN: u64 = 2;

const RETURN: u32 = 0x0000_8067;
/// `addi x, x0, 7` and `fsgnj.d f, f0, f0`.
fn change(register: u32) -> u32 {
    0x0070_0013 | register << 7
}
fn change_floating(register: u32) -> u32 {
    0x2200_0053 | register << 7
}
/// `s0`…`s11`; `fs0`…`fs11` have the same numbers.
fn kept() -> impl Iterator<Item = u32> {
    [8, 9].into_iter().chain(18..28)
}
extern "C" fn nothing() {}

/// Cycles of one call of what is at `address`, less those of a function that does nothing, and more what that takes. The least of several
/// rounds: an interrupt may come in between.
fn cost(block: &mut Block, address: u64) -> u64 {
    let mut count = |address| {
        let round = |_| {
            let start = cycles();
            for _ in 0..CALLS {
                enter(block, address, &[0]);
            }
            cycles() - start
        };
        (0..ROUNDS).map(round).min().unwrap_or(0)
    };
    let plain = count(nothing as *const () as u64);
    (count(address) - plain + CALLS / 2) / CALLS + PLAIN
}
pub fn run(layout: Layout) -> Result<(), String> {
    let mut domain = FaultDomain::new(layout).map_err(|error| String::from(error.text()))?;
    let integer: Vec<u32> = kept().map(change).collect();
    let both: Vec<u32> = integer.iter().copied().chain(kept().map(change_floating)).collect();
    println!("a C call: {PLAIN}");
    for (name, changes) in
        [("nothing to save", Vec::new()), ("all integer registers", integer), ("floating-point ones too", both)]
    {
        let words: Vec<u32> = changes.iter().copied().chain([RETURN]).collect();
        lay_out(&mut domain, &layout, &words)?;
        let portal = domain.portals[0];
        // What the fault domain itself does beside returning.
        let own = changes.len() as u64;
        println!("a software portal, {name}: {}", cost(domain.block(), portal) - own);
    }
    Ok(())
}
