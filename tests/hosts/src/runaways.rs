//! A fault domain that does what it can to stay, ended and laid out anew, while its host answers others: the host is a domain of its own, and who
//! asks it is this one.

use crate::lay_out;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use enclosure_logic::Layout;
use enclosure_logic::domain::{Ended, FaultDomain};
use pebble::abi::enclosure::{SEGMENT_BITS, form};
use pebble::abi::system::{DOMAIN_FORK, STACK};
use pebble::portal::call;
use pebble::{Result, check, println, thread, time};
use verifier::Form;

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
const RA: u32 = 1;
const SP: u32 = 2;
const T0: u32 = 5;
const A0: u32 = 10;
const T5: u32 = 30;
const T6: u32 = 31;
/// `ret`; `sd a0, 0(t6)`; `jr t5`.
const RETURN: u32 = 0x0000_8067;
const STORE: u32 = 0x00af_b023;
const JUMP: u32 = 0x000f_0067;
/// `andi` with -4.
const fn whole(to: u32, from: u32) -> u32 {
    0xffc0_7013 | from << 15 | to << 7
}
/// `and` with `t3` or `t4`.
fn is_masked(word: u32) -> bool {
    word & 0xfe00_707f == 0x7033 && matches!(word >> 20 & 31, 28 | 29)
}
type Program = (&'static str, Vec<u32>, End);
/// What there is for segments of one form. What of [`PROGRAMS`] has no mask is the same in all.
#[rustfmt::skip]
fn programs(layout: &Layout) -> Vec<Program> {
    // One instruction brings an address in: `add.uw`, or `or`, with the base.
    let by = match layout.0.form {
        Form::Mask => return PROGRAMS.iter().map(|&(name, words, end)| (name, words.to_vec(), end)).collect(),
        Form::AddUnsignedWord => 0x0830_003b,
        Form::Or => 0x0030_6033,
    };
    let bring_in = |to: u32, from: u32| by | from << 15 | to << 7;
    let at = |address: u64| End::FaultAt(address.wrapping_sub(layout.base()));
    let same = PROGRAMS.iter().filter(|program| !program.1.iter().any(|word| is_masked(*word)));
    let mut all: Vec<Program> = same.map(|&(name, words, end)| (name, words.to_vec(), end)).collect();
    all.extend([
        // lui t0, 4; sub a0, sp, t0; …; addi a0, a0, 8; j .-12
        ("overwrites all that it has", vec![0x0000_42b7, 0x4051_0533, bring_in(T6, A0), STORE, 0x0085_0513, 0xff5f_f06f], End::Fault),
        ("writes its own code", vec![0x0000_0517, bring_in(T6, A0), STORE, RETURN], End::Fault),
        ("jumps to its stack", vec![whole(T5, SP), bring_in(T5, T5), JUMP], End::Fault),
        ("returns to where the host has code", vec![0x0001_00b7, whole(RA, RA), bring_in(RA, RA), RETURN], End::Returns(5)),
        ("jumps into a sequence", vec![0x0080_006f, bring_in(T6, A0), STORE, RETURN], End::FaultAt(0)), // j .+8
        ("faults with the dedicated registers elsewhere", vec![bring_in(T6, SP), whole(T5, SP), bring_in(T5, T5), whole(RA, SP), bring_in(RA, RA), 0x0010_0073], End::Fault),
        ("jumps to half an instruction", vec![0x0000_0517, 0x0125_0513, whole(T5, A0), bring_in(T5, T5), JUMP], End::Late),
        ("jumps before its segment", vec![whole(T5, 0), bring_in(T5, T5), 0x800f_0067], End::FaultAt(0u64.wrapping_sub(2048))),
    ]);
    // li t0, -4; …; jr 2044(t5)
    let behind = vec![0xffc0_0293, whole(T5, T0), bring_in(T5, T5), 0x7fcf_0067];
    // lui a0, 0x80000; and auipc a0, 0xfffc0: the stubs are 128 KiB before the segment, and the code as much behind its beginning
    let (far, stubs) = (0x8000_0537, 0xfffc_0517);
    let store = |from| vec![from, bring_in(T6, A0), STORE, RETURN];
    let jump = |from| vec![from, whole(T5, A0), bring_in(T5, T5), JUMP];
    if layout.0.form == Form::AddUnsignedWord {
        // Of the last GiB nothing is mapped, and it is the segment's all the same.
        let end = End::FaultAt((1 << 32) - 0x2_0000);
        all.extend([
            ("jumps behind its segment", behind, End::FaultAt((1 << 32) + 2040)),
            ("stores where nothing is", store(far), End::FaultAt(1 << 31)),
            ("jumps to where nothing is", jump(far), End::FaultAt(1 << 31)),
            ("stores to the stubs", store(stubs), end),
            ("jumps to the stubs", jump(stubs), end),
        ]);
        return all;
    }
    let (nucleus, nowhere) = (0xc020_0537, [0x0010_0293, 0x02d2_9293]); // lui a0, 0xc0200; li t0, 1; slli t0, t0, 45
    all.extend([
        // Behind the segment is nothing, up to the addresses of the supervisor, and from their end on what is nobody's.
        ("jumps behind its segment", behind, at(2040)),
        ("stores to the supervisor's code", store(nucleus), at(0xffff_ffff_c020_0000)),
        ("jumps to the supervisor's code", jump(nucleus), at(0xffff_ffff_c020_0000)),
        ("stores where no address is", vec![nowhere[0], nowhere[1], bring_in(T6, T0), STORE], End::FaultAt(1 << 45)),
        ("jumps to where no address is", vec![nowhere[0], nowhere[1], whole(T5, T0), bring_in(T5, T5), JUMP], End::FaultAt(1 << 45)),
        // li a0, -1; …; sb a0, 0(t6); and sd a0, 8(t6)
        ("stores to the last byte of all", vec![0xfff0_0513, bring_in(T6, A0), 0x00af_8023], at(u64::MAX)),
        ("stores around the end of all", vec![0xff80_0513, bring_in(T6, A0), 0x00af_b423], at(0)),
        ("stores to the stubs", store(stubs), End::FaultAt(0x3ffe_0000)),
        ("jumps to the stubs", jump(stubs), End::FaultAt(0x3ffe_0000)),
        // li t0, -16; mv sp, t0 by or; addi sp, sp, 2047 twice; sd x0, 2040(sp): sp is moved around the end, and used there
        ("moves its stack around the end", vec![0xff00_0293, bring_in(SP, T0), 0x7ff1_0113, 0x0011_0113, 0x0001_3023, RETURN], at(2032)),
    ]);
    all
}

/// Calls that have ended as they must.
static ROUNDS: AtomicUsize = AtomicUsize::new(0);
/// Not 0: one has not, and which, from 1.
static WRONG: AtomicUsize = AtomicUsize::new(0);
static WANTED: AtomicUsize = AtomicUsize::new(0);
/// Of its segment: one of `form`.
static FORM: AtomicUsize = AtomicUsize::new(0);
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
    let layout = Layout::numbered(0, FORM.load(Ordering::Relaxed) as u64, false).unwrap_or(Layout::new(false));
    let programs = programs(&layout);
    let Ok(mut domain) = FaultDomain::new(layout) else { return WRONG.store(1000, Ordering::Release) };
    domain.watch_at(PRIORITY + 1);
    for round in 0..WANTED.load(Ordering::Relaxed) {
        let n = round % programs.len();
        let (name, ref words, end) = programs[n];
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
pub fn run(layout: Layout, wanted: usize, unhurried: bool) -> core::result::Result<(), String> {
    let form = match layout.0.form {
        Form::Mask => form::MASKS,
        Form::AddUnsignedWord => form::ZBA,
        Form::Or => form::TOP,
    };
    FORM.store(form as usize, Ordering::Relaxed);
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
