//! A host that lays a fault domain out, and its portals anew, while its n-th allocation fails, for every n: there is no memory, and what it is asked
//! for next is done.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec;
use alloc::vec::Vec;
use enclosure_logic::domain::FaultDomain;
use enclosure_logic::image::{Image, Part};
use enclosure_logic::stubs::Wanted;
use enclosure_logic::{Layout, Why};
use pebble::heap::failing::with_only;
use pebble::{Error, println};

pebble::program!(main);

/// Where code begins, from the segment's base; bytes of the stack.
const CODE: u64 = 0x2_0000;
const STACK: u64 = 0x4000;
/// `addi a0, a0, 1`; `ret`.
const WORDS: [u32; 2] = [0x0015_0513, 0x0000_8067];
/// `ticks` of `hrtime` that a call may take: it is far less.
const PATIENCE: u64 = 1_000_000_000;

fn program(layout: &Layout) -> Image {
    let start = layout.base() + CODE;
    let bytes: Vec<u8> = WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
    let size = abi::address::PAGE as u64;
    let code = Part { start, bytes, size, write: false, execute: true };
    Image { parts: vec![code], entry: start, variables: (Vec::new(), 0), heap: start + size }
}
/// How many allocations `attempt` makes, each of which may fail; `after` is done after each.
fn allocations(
    what: &str,
    domain: &mut FaultDomain,
    attempt: impl Fn(&mut FaultDomain) -> Result<(), Why>,
    after: impl Fn(&mut FaultDomain),
) -> usize {
    for n in 0..1000 {
        match with_only(n, || attempt(domain)) {
            Ok(()) => return n,
            Err(why) if why.error == Error::ENOMEM => after(domain),
            Err(why) => wrong(what, &why),
        }
    }
    wrong(what, &"it does not come to its end")
}
fn wrong(what: &str, why: &dyn core::fmt::Display) -> ! {
    println!("{what}: {why}");
    pebble::thread::exit_domain(1)
}
fn main(_: &pebble::Env) -> i32 {
    let layout = Layout::new(false);
    let image = program(&layout);
    let wanted = || [Wanted { specification: "smi", entry: image.entry }];
    let domain = (0..).find_map(|n| match with_only(n, || FaultDomain::new(layout)) {
        Ok(domain) => Some((domain, n)),
        Err(Error::ENOMEM) => None,
        Err(error) => wrong("a place for it", &error.text()),
    });
    let Some((mut domain, places)) = domain else { return 1 };
    let laid_out = allocations("lay out", &mut domain, |d| d.lay_out(&image, STACK, &wanted()), |_| {});
    let answers = |domain: &mut FaultDomain| {
        if domain.call(0, 6, None) != Ok(7) {
            wrong("a call", &"another answer");
        }
    };
    answers(&mut domain);
    let portals = allocations("portals anew", &mut domain, |d| d.remake_portals(&wanted()), answers);
    answers(&mut domain);
    let mut watched = 0;
    for n in 0.. {
        match with_only(n, || domain.call(0, 6, Some(PATIENCE))) {
            Ok(7) => break,
            Err(enclosure_logic::domain::Ended::NotMade(Error::ENOMEM)) => watched = n + 1,
            _ => wrong("a call in a thread of its own", &"another answer"),
        }
    }
    println!("{places}, {laid_out}, {portals}, {watched}");
    ([places, laid_out, portals, watched].contains(&0)) as i32
}
