//! Running an image on the strict machine (`host/strict`), in this process.

use crate::console::{Listener, Treatment};
use crate::guest_log::{self, GuestLog};
use crate::qemu::{Console, Machine, Outcome};
use crate::rtl;
use abi::address::{DEAD_STUB, IMAGE_BASE, PAGE, RAM_BASE};
use abi::nucleus::{Thread, domain, flags};
use anyhow::{Context, Result};
use image::Image;
use std::mem::offset_of;
use std::time::Duration;
use strict::{Fence, Leak, Masked, Secrets, Settings, Stale, Stopped};

/// Most instructions for which interrupts may be off, whatever components do.
pub const MOST_MASKED: u64 = 2000;
/// Instructions between two looks at the clock of this machine.
const BATCH: u64 = 1_000_000;

/// How it runs a program: with time slices drawn from that seed, if there is one.
pub fn settings(slices: Option<u64>) -> Settings {
    let secrets = Secrets {
        table: offset_of!(Thread, table) as u64,
        flags: domain::FLAGS.into(),
        trusted: flags::TRUSTED | flags::MASKED,
        stub: DEAD_STUB as u64,
    };
    Settings { slices, secrets: Some(secrets), ..Settings::default() }
}
/// Boots an image, which was built with [`strict::CYCLES_PER_TIME`], and waits until the machine stops or the time is over.
/// No input comes.
pub fn run(image: &Image, machine: &Machine, settings: Settings, console: Console) -> Result<Outcome> {
    Ok(run_and_tell(image, machine, settings, console)?.0)
}
/// The same; also the fences that were asked for.
pub fn run_and_tell(
    image: &Image,
    machine: &Machine,
    settings: Settings,
    console: Console,
) -> Result<(Outcome, Vec<Fence>)> {
    run_asked(image, machine, settings, console, &mut Nobody)
}
/// Who answers what a program asks the one who runs the machine, with the hint that is for that: `a0` to `a7`, and what `a0` is then.
pub trait Asked {
    fn asked(&mut self, machine: &mut strict::Machine, question: [u64; 8]) -> u64;
    /// The machine does not go on.
    fn over(&mut self, _: &mut strict::Machine) {}
}
struct Nobody;
impl Asked for Nobody {
    fn asked(&mut self, _: &mut strict::Machine, _: [u64; 8]) -> u64 {
        u64::MAX
    }
}
/// The same, with somebody who answers.
pub fn run_asked(
    image: &Image,
    machine: &Machine,
    settings: Settings,
    console: Console,
    who: &mut dyn Asked,
) -> Result<(Outcome, Vec<Fence>)> {
    let mut hart = loaded(image, machine, settings)?;
    let captured = matches!(console, Console::Captured(_));
    let mut listener = Listener::new(Treatment { framed: true, captured, marked: true });
    let mut broken;
    let begun = processor_time();
    let mut timed_out = false;
    let stopped = loop {
        let stopped = hart.run(BATCH);
        if let Some(question) = hart.question() {
            let answer = who.asked(&mut hart, question);
            hart.answer(answer);
        }
        broken = !listener.hear(&hart.take_sent(), None);
        if stopped.is_some() || broken {
            break stopped;
        }
        if machine.timeout.is_some_and(|time| processor_time() - begun >= time) {
            timed_out = true;
            break None;
        }
    };
    who.over(&mut hart);
    let breach = match stopped {
        Some(Stopped::Violation(stale)) => Some(describe(&stale)),
        Some(Stopped::Reused(space)) => Some(format!(
            "a stale translation: address space {space} has another root table, and may still use what the one before led to"
        )),
        Some(Stopped::Overwritten(pc)) => Some(format!(
            "a reservation of another thread's: the store-conditional at pc {pc:#x} has stored, though there was another thread \
             since its load-reserved"
        )),
        Some(Stopped::Leaked(leak)) => Some(told(&leak)),
        _ => too_long(&hart.masked()),
    };
    timed_out |= matches!(stopped, Some(Stopped::Limit | Stopped::Idle));
    let log = log(&hart, image);
    let fences = hart.fences.iter().map(|&(fence, _)| fence).collect();
    let masked = Some(hart.masked());
    Ok((Outcome { heard: listener.into_heard(), timed_out, computed: None, broken, log, breach, masked }, fences))
}
/// What the system log has.
pub fn log(hart: &strict::Machine, image: &Image) -> Option<GuestLog> {
    guest_log::parse(hart.ram().get(image.log - RAM_BASE..)?.get(..abi::log::BYTES)?).ok()
}
/// Time that this thread has executed for. Of no other is the machine's: what is done beside it takes nothing of its time.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for a time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
/// The strict machine before its first instruction.
fn loaded(image: &Image, machine: &Machine, settings: Settings) -> Result<strict::Machine> {
    let ram_bytes = machine.megabytes << 20;
    let tree = rtl::device_tree(ram_bytes)?;
    let tree_at = RAM_BASE + ram_bytes - tree.len().next_multiple_of(PAGE);
    let mut hart = strict::Machine::new(ram_bytes, IMAGE_BASE as u64, tree_at as u64, settings);
    for (at, bytes) in [(IMAGE_BASE, &image.bytes), (tree_at, &tree)] {
        hart.place(at as u64, bytes).context("the image does not fit in the machine's memory")?;
    }
    Ok(hart)
}
/// Runs the image again, as far as the longest time with interrupts off that a run has found: its instructions, a line each, with
/// address space and program counter.
pub fn list_masked(image: &Image, machine: &Machine, settings: Settings, masked: &Masked) -> Result<String> {
    let mut hart = loaded(image, machine, settings)?;
    let mut list = String::new();
    while hart.instructions() < masked.began + masked.instructions {
        let ahead = masked.began.saturating_sub(hart.instructions());
        if ahead > BATCH {
            hart.run(ahead - BATCH);
        } else {
            if ahead == 0 {
                let (pc, space) = hart.place_now();
                list += &format!("{space} {pc:#x}\n");
            }
            hart.step();
        }
        hart.take_sent();
    }
    Ok(list)
}
/// Interrupts were off for longer than they may be.
fn too_long(masked: &Masked) -> Option<String> {
    let Masked { instructions, began, from, to } = masked;
    (*instructions > MOST_MASKED).then(|| {
        format!(
            "interrupts off for {instructions} instructions, not {MOST_MASKED}: since pc {:#x} of address space {}, until pc {:#x} of {}; \
             the first is instruction {began}",
            from.0, from.1, to.0, to.1
        )
    })
}
/// What a register tells, in a line.
fn told(leak: &Leak) -> String {
    let Leak { register, value, to, from, portal, when } = leak;
    format!(
        "register x{register} has {value:#x}, an address of the supervisor's, where a component goes on at pc {:#x} of address space {}, which is not \
         trusted; before that, one was left at pc {:#x} of {}, with portal {portal}; instruction {when} is the first",
        to.0, to.1, from.0, from.1
    )
}
/// What a violation is, in a line.
fn describe(stale: &Stale) -> String {
    let space = stale.space().map_or("every address space".into(), |space| format!("address space {space}"));
    let what = if stale.name.is_pointer() { "the pointer to the page table of" } else { "the translation of" };
    let by = stale.by;
    let who = if by.component { format!("a component in address space {}", by.space) } else { "portal code".into() };
    format!(
        "a stale translation: {space} may still use {what} {:#x} that was {:#x}, and is {:#x} since {who} wrote so \
         at pc {:#x}, instruction {}",
        stale.name.address(),
        stale.old.entry,
        stale.new,
        by.pc,
        stale.when
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn interrupts_may_be_off_for_the_bound_and_no_longer() {
        let of = |instructions| too_long(&Masked { instructions, from: (0x1234, 5), ..Masked::default() });
        assert_eq!(of(MOST_MASKED), None);
        let said = of(MOST_MASKED + 1).expect("too long");
        assert!(said.contains("2001 instructions, not 2000: since pc 0x1234 of address space 5"), "{said}");
    }
}
