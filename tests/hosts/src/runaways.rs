//! A fault domain that does what it can to stay, ended and laid out anew, while its host answers others: the host is a domain of its own, and who
//! asks it is this one.

use crate::lay_out;
use alloc::format;
use alloc::string::String;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use enclosure_logic::Layout;
use enclosure_logic::domain::{Ended, FaultDomain};
use pebble::abi::enclosure::SEGMENT_BITS;
use pebble::abi::system::{DOMAIN_FORK, STACK};
use pebble::portal::call;
use pebble::{Result, check, println, thread, time};

pebble::import! {
    ADD_ONE = "app.add_one";
    ENDED = "app.ended";
}

/// Ticks of `hrtime` at 1 GHz, of two cycles each.
const MILLISECOND: u64 = 500_000;
/// What a fault domain may take.
const PATIENCE: u64 = MILLISECOND / 2;
/// Of the thread that is in the fault domain: below those that ask.
const PRIORITY: u8 = 10;

/// How a call must end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Late,
    Fault,
    /// At this offset of the segment.
    FaultAt(u64),
    /// With this result.
    Returns(i64),
}
/// Code that no rewriter has made, and what becomes of its call.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &[u32], End)] = &[
    ("returns", &[0x0075_0513, 0x0000_8067], End::Returns(12)), // addi a0, a0, 7; ret
    ("loops", &[0x0000_006f], End::Late), // j .
    ("loops through a register", &[0x0000_0f17, 0x000f_0067], End::Late), // auipc t5, 0; jr t5
    ("recurses without end", &[0xff01_0113, 0x0011_3423, 0xff9f_f0ef], End::Fault), // addi sp, sp, -16; sd ra, 8(sp); jal .-8
    // lui t0, 4; sub a0, sp, t0; and t6, a0, t4; or t6, t6, gp; sd a0, 0(t6); addi a0, a0, 8; j .-16: all that it may write is its stack
    ("overwrites all that it has", &[0x0000_42b7, 0x4051_0533, 0x01d5_7fb3, 0x003f_efb3, 0x00af_b023, 0x0085_0513, 0xff1f_f06f], End::Fault),
    // auipc a0, 0; and t6, a0, t4; or t6, t6, gp; sd a0, 0(t6); ret
    ("writes its own code", &[0x0000_0517, 0x01d5_7fb3, 0x003f_efb3, 0x00af_b023, 0x0000_8067], End::Fault),
    ("breaks", &[0x0010_0073], End::Fault), // ebreak
    // andi t5, sp, -4; and t5, t5, t4; or t5, t5, gp; jr t5
    ("jumps to its stack", &[0xffc1_7f13, 0x01df_7f33, 0x003f_6f33, 0x000f_0067], End::Fault),
    // lui ra, 16; andi ra, ra, -4; and ra, ra, t4; or ra, ra, gp; ret: the host's code is there; of the segment it is the jump table
    ("returns to where the host has code", &[0x0001_00b7, 0xffc0_f093, 0x01d0_f0b3, 0x0030_e0b3, 0x0000_8067], End::Returns(5)),
    // j .+12; and t6, a0, t4; or t6, t6, gp; sd a0, 0(t6); ret: what t6 had at the entry is the segment's base, in its guard zone
    ("jumps into a sequence", &[0x00c0_006f, 0x01d5_7fb3, 0x003f_efb3, 0x00af_b023, 0x0000_8067], End::FaultAt(0)),
    // and t6, sp, t4; or t6, t6, gp; and t5, sp, t3; or t5, t5, gp; and ra, sp, t3; or ra, ra, gp; ebreak: all of them lead to its stack
    ("faults with the dedicated registers elsewhere", &[0x01d1_7fb3, 0x003f_efb3, 0x01c1_7f33, 0x003f_6f33, 0x01c1_70b3, 0x0030_e0b3, 0x0010_0073], End::Fault),
    // sd a0, 0(t6): the next that is entered finds none of that
    ("stores through what it finds", &[0x00af_b023, 0x0000_8067], End::FaultAt(0)),
    ("jumps through what it finds", &[0x000f_0067], End::FaultAt(0)), // jr t5
    // auipc a0, 0; addi a0, a0, 18; and t5, a0, t3; or t5, t5, gp; jr t5: there are no halves, so it is the jr itself
    ("jumps to half an instruction", &[0x0000_0517, 0x0125_0513, 0x01c5_7f33, 0x003f_6f33, 0x000f_0067], End::Late),
    // li t0, -4; and t5, t0, t3; or t5, t5, gp; jr 2044(t5): the guard zone behind it
    ("jumps behind its segment", &[0xffc0_0293, 0x01c2_ff33, 0x003f_6f33, 0x7fcf_0067], End::FaultAt((1 << SEGMENT_BITS) + 2040)),
    ("jumps before its segment", &[0x01c0_7f33, 0x003f_6f33, 0x800f_0067], End::FaultAt(0u64.wrapping_sub(2048))), // and t5, zero, t3; or t5, t5, gp; jr -2048(t5)
    ("walks off its stack", &[0x8001_0113, 0x0001_3023, 0xff9f_f06f], End::Fault), // addi sp, sp, -2048; sd x0, 0(sp); j .-8
];

/// Calls that have ended as they must.
static ROUNDS: AtomicUsize = AtomicUsize::new(0);
/// Not 0: one has not, and which, from 1.
static WRONG: AtomicUsize = AtomicUsize::new(0);
static WANTED: AtomicUsize = AtomicUsize::new(0);
/// Only what does not end by itself has a time limit: on a machine whose clock leaps to the next interrupt, each may be over any time.
static UNHURRIED: AtomicBool = AtomicBool::new(false);

pub extern "C" fn add_one(value: usize) -> isize {
    value as isize + 1
}
/// How often the fault domain was ended; negative: which program ended otherwise.
pub extern "C" fn ended() -> isize {
    match WRONG.load(Ordering::Acquire) {
        0 => ROUNDS.load(Ordering::Acquire) as isize,
        wrong => -(wrong as isize),
    }
}
fn host() {
    let layout = Layout::new(false);
    let Ok(mut domain) = FaultDomain::new(layout) else { return WRONG.store(1000, Ordering::Release) };
    domain.watch_at(PRIORITY + 1);
    for round in 0..WANTED.load(Ordering::Relaxed) {
        let n = round % PROGRAMS.len();
        let (name, words, end) = PROGRAMS[n];
        let laid_out = lay_out(&mut domain, &layout, words);
        let hurried = end == End::Late || !UNHURRIED.load(Ordering::Relaxed);
        let limit = hurried.then_some(PATIENCE);
        let result = laid_out.map(|()| domain.call(0, 5, limit));
        let right = match (&result, end) {
            (Ok(Err(Ended::Fault(fault))), End::FaultAt(at)) => fault.address as u64 == layout.base().wrapping_add(at),
            (Ok(Err(Ended::Late)), End::Late) | (Ok(Err(Ended::Fault(_))), End::Fault) => true,
            (Ok(Ok(result)), End::Returns(wanted)) => *result == wanted,
            _ => false,
        };
        if !right {
            println!("{name}: {result:?}, not {end:?}");
            return WRONG.store(n + 1, Ordering::Release);
        }
        ROUNDS.store(round + 1, Ordering::Release);
    }
}
/// The other domain.
extern "C" fn server() -> ! {
    pebble::run_server(core::ptr::null(), |_| {
        if thread::spawn(Some(PRIORITY), host).is_err() {
            WRONG.store(1001, Ordering::Release);
        }
    })
}
fn ask(wanted: usize) -> Result<core::result::Result<usize, isize>> {
    let stack = check(call(STACK, [0x8000]))?;
    check(call(DOMAIN_FORK, [0, server as *const () as usize, stack]))?;
    while ADD_ONE.reopen().is_err() || ENDED.reopen().is_err() {
        time::sleep(MILLISECOND);
    }
    for n in 0.. {
        if ADD_ONE.call([n]) != n as isize + 1 {
            return Ok(Err(n as isize));
        }
        match ENDED.call([]) {
            negative @ ..0 => return Ok(Err(negative)),
            rounds if rounds as usize >= wanted => return Ok(Ok(n)),
            _ => time::sleep(MILLISECOND / 10),
        }
    }
    Ok(Err(0))
}
pub fn run(wanted: usize, unhurried: bool) -> core::result::Result<(), String> {
    UNHURRIED.store(unhurried, Ordering::Relaxed);
    WANTED.store(wanted, Ordering::Relaxed);
    match ask(wanted) {
        Ok(Ok(answers)) if answers > wanted / 10 => {
            println!("ended and laid out {wanted} times, and every request was answered");
            Ok(())
        }
        Ok(Ok(answers)) => Err(format!("{answers} requests only")),
        Ok(Err(wrong)) => Err(format!("answer {wrong}")),
        Err(error) => Err(String::from(error.text())),
    }
}
