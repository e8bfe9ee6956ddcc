//! `--explain`: every instruction of one call, with the cycles it takes on the model.

use crate::connection::Connection;
use crate::qemu::Console;
use crate::{build, exec, rtl};
use abi::address::{ENTRY_STUB, PAGE, RETURN_PAGE};
use anyhow::{Context, Result, bail};
use image::Program;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "apps/bench/explain.c";
const OBJDUMP: &str = "riscv64-unknown-elf-objdump";
/// Cycles after which a run is given up.
const MOST_CYCLES: u64 = 200_000_000;

/// What can be explained, as `PROGRAM` knows it.
pub const CALLS: [&str; 12] = [
    "get_asid",
    "smciii",
    "npciii",
    "smcwii",
    "npcwii",
    "yield",
    "yield-2",
    "semaphore",
    "semaphore-2",
    "pipe-2",
    "open",
    "interrupt",
];

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Privilege {
    User,
    Supervisor,
    Machine,
}
use Privilege::*;

/// A committed instruction.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Step {
    cycle: u64,
    privilege: Privilege,
    pc: u64,
    word: u32,
}

/// Reads the model's trace (`rtl/trace.h`), without the marks.
fn parse(trace: &str) -> Result<Vec<Step>> {
    let line = |line: &str| -> Option<Step> {
        let mut words = line.split_whitespace();
        let (cycle, privilege, pc, word) = (words.next()?, words.next()?, words.next()?, words.next()?);
        Some(Step {
            cycle: cycle.parse().ok()?,
            privilege: match privilege {
                "U" => User,
                "S" => Supervisor,
                "M" => Machine,
                _ => return None,
            },
            pc: u64::from_str_radix(pc, 16).ok()?,
            word: u32::from_str_radix(word, 16).ok()?,
        })
    };
    let steps: Option<Vec<Step>> = trace.lines().map(line).collect();
    let steps = steps.context("the model's trace has a line that is no instruction")?;
    if steps.len() < 3 {
        bail!("the model's trace is empty: the program did not come to the call");
    }
    Ok(steps)
}

/// Where the nucleus's parts are.
struct Places {
    nucleus: BTreeMap<u64, String>,
    nucleus_end: u64,
}
impl Places {
    fn new(nucleus: &Program) -> Places {
        let code = nucleus.segments.iter().filter(|s| s.rights.contains(abi::rights::Rights::EXECUTE));
        let nucleus_end = code.map(|s| s.va + s.memory_bytes).max().unwrap_or(0);
        let names = nucleus.symbols.iter().filter(|(n, _)| n.starts_with("nucleus_"));
        Places { nucleus: names.map(|(n, &at)| (at, n.clone())).collect(), nucleus_end }
    }
    /// The part of the nucleus that a step is in.
    fn nucleus(&self, step: &Step) -> Option<&str> {
        let inside = step.privilege == Supervisor && step.pc < self.nucleus_end;
        let name = || self.nucleus.range(..=step.pc).next_back().map_or("nucleus_", |(_, name)| name.as_str());
        inside.then(name)
    }
    /// Whether a step is of the thread switch.
    fn switches(&self, step: &Step) -> bool {
        self.nucleus(step) == Some("nucleus_switch")
    }
    /// The steps of the thread that the timer interrupts, and of whatever was before them and behind the call that sleeps.
    fn background(&self, steps: &[Step]) -> Option<Range<usize>> {
        let pending = steps.iter().rposition(sets_timer_pending)?;
        let end = steps[..pending].iter().rposition(|step| step.privilege != Machine)? + 1;
        let switch = steps.iter().position(|step| self.switches(step))?;
        let start = switch + steps[switch..end.max(switch)].iter().position(|step| step.privilege == User)?;
        Some(start..end)
    }
}
/// Whether the firmware hands the timer's interrupt on: a `csrs` of `mip`.
fn sets_timer_pending(step: &Step) -> bool {
    step.privilege == Machine && step.word & 0xfff0_707f == 0x3440_2073
}

/// Says of one step after the other which part of the call it belongs to.
struct Follow<'a> {
    places: &'a Places,
    /// What components that are called are named.
    server: &'a str,
    /// How many servers the running thread is in, and another thread that it takes turns with.
    depth: usize,
    other: Option<usize>,
    /// Since the last instruction in user mode: a call has returned; another thread runs.
    returning: bool,
    switched: bool,
    last: Privilege,
}
impl<'a> Follow<'a> {
    fn new(places: &'a Places, server: &'a str) -> Follow<'a> {
        Follow { places, server, depth: 0, other: None, returning: false, switched: false, last: User }
    }
    fn part(&mut self, step: &Step) -> String {
        let last = std::mem::replace(&mut self.last, step.privilege);
        match step.privilege {
            Machine => return "firmware".into(),
            Supervisor => {
                self.switched |= self.places.switches(step);
                if let Some(name) = self.places.nucleus(step) {
                    return name.replace("nucleus_", "nucleus ");
                }
                return if self.returning || self.switched { "return portal" } else { "call portal" }.into();
            }
            User => {}
        }
        let stub = step.pc / PAGE as u64 == RETURN_PAGE as u64 / PAGE as u64;
        if stub && step.pc == ENTRY_STUB as u64 {
            self.depth += 1;
            return "entry stub".into();
        }
        if last != User {
            if self.switched {
                let own = self.depth.saturating_sub(1);
                self.depth = self.other.replace(own).unwrap_or(own);
            } else if self.returning {
                self.depth = self.depth.saturating_sub(1);
            }
            (self.returning, self.switched) = (false, false);
        }
        self.returning |= stub;
        match (stub, self.depth) {
            (true, _) => "return stub".into(),
            (_, 0) => "client".into(),
            _ => self.server.into(),
        }
    }
}

/// The text of each instruction, by binutils.
fn disassemble(steps: &[Step]) -> Result<Vec<String>> {
    // A short instruction is filled up to four bytes with another one (c.nop), which is left out again.
    let word = |w: u32| if w & 3 == 3 { w } else { w & 0xffff | 0x0001_0000 };
    let bytes: Vec<u8> = steps.iter().flat_map(|s| word(s.word).to_le_bytes()).collect();
    let mut file = tempfile::NamedTempFile::new()?;
    std::io::Write::write_all(&mut file, &bytes)?;
    let mut command = Command::new(OBJDUMP);
    let output = command.args(["-D", "-b", "binary", "-m", "riscv:rv64"]).arg(file.path()).output().context(OBJDUMP)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found = vec![String::new(); steps.len()];
    for line in text.lines() {
        let Some((at, rest)) = line.split_once(':') else { continue };
        let Ok(at) = usize::from_str_radix(at.trim(), 16) else { continue };
        let instruction = rest.split('\t').skip(2).collect::<Vec<_>>().join(" ");
        if let (0, Some(place)) = (at % 4, found.get_mut(at / 4)) {
            *place = instruction.split('#').next().unwrap_or("").trim().to_string();
        }
    }
    Ok(found)
}

/// Cycles from which on an instruction's are explained.
const LONG: u64 = 3;
/// Why `instruction` was committed so long after the one before it.
fn reason(before: (&str, Privilege), instruction: (&str, Privilege), cycles: u64) -> &'static str {
    let ((before, from), (instruction, to)) = (before, instruction);
    let name = |text: &str| text.split([' ', ',']).next().unwrap_or("").to_string();
    let is_load = |name: &str| matches!(name, "lb" | "lbu" | "lh" | "lhu" | "lw" | "lwu" | "ld");
    let (last, this) = (name(before), name(instruction));
    let jumps = last.starts_with('b') || last.starts_with('j') || last == "ret";
    match last.as_str() {
        _ if cycles < LONG => "",
        "ecall" => "a trap empties the pipeline",
        "sret" | "mret" => "the return from a trap empties the pipeline",
        _ if from != to => "a trap empties the pipeline",
        "sfence.vma" => "forgetting a translation empties the pipeline",
        _ if last.starts_with("csr") && before.contains("satp") => "another page table empties the pipeline",
        _ if is_load(&this) && cycles == LONG => "a load takes three",
        _ if is_load(&this) && to == Machine => "a device is read",
        _ if this.starts_with("amo") || this.starts_with("lr.") || this.starts_with("sc.") => {
            "an atomic access goes to memory"
        }
        _ if last.starts_with("csr") => "a control register is slow",
        _ if jumps && cycles > LONG => "a branch or jump was predicted wrongly",
        _ if is_load(&last) => "what was loaded is needed at once",
        _ if matches!(this.as_str(), "sb" | "sh" | "sw" | "sd") => "the stores before have not reached memory",
        _ if is_load(&this) => "a load misses the cache or the translation buffer",
        _ => "the instruction is fetched",
    }
}
/// The reasons of a call, the most expensive first: how often, and the cycles beyond one each.
fn reasons(found: &[(&'static str, u64)]) -> String {
    let mut sums: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for (reason, cycles) in found.iter().filter(|(reason, _)| !reason.is_empty()) {
        let (count, sum) = sums.entry(reason).or_default();
        *count += 1;
        *sum += cycles - 1;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, (_, cycles))| std::cmp::Reverse(*cycles));
    let mut text = format!("\n{:<52} {:>5}  cycles beyond one each\n", "why an instruction takes longer", "times");
    for (reason, (count, cycles)) in sums {
        text += &format!("{reason:<52} {count:>5}  {cycles:>6}\n");
    }
    text
}

/// Runs the call on the model and lists it.
pub fn explain(root: &Path, call: &str, machine: &rtl::Machine, latencies: rtl::Latencies) -> Result<ExitCode> {
    let options = exec::Options {
        on: exec::On::Rtl,
        system: "bench".into(),
        memory: 128,
        file_name: root.join(PROGRAM),
        arguments: vec![call.into()],
        ..exec::Options::default()
    };
    let model = rtl::build_model(root, machine)?;
    let image = exec::program_image(root, &options, Connection::Serial)?;
    let (nucleus, _) = build::build(root, &build::Sources::new())?;
    let places = Places::new(&Program::parse("nucleus", &nucleus)?);
    let trace = tempfile::NamedTempFile::new()?;
    let settings = rtl::Settings { latencies, timeout_cycles: MOST_CYCLES, trace: Some(trace.path().to_path_buf()) };
    eprintln!("pebble: a call on the model, memory {latencies} (half a minute)");
    let outcome = rtl::run(&model, &image, &settings, Console::Captured(None))?;
    let status = exec::status(&outcome, true);
    let said = String::from_utf8_lossy(&outcome.heard.output);
    if status != 0 {
        bail!("{}", said.trim_end());
    }
    let steps = parse(&std::fs::read_to_string(trace.path())?)?;
    let background = match call {
        "interrupt" => places.background(&steps).context("no interrupt of the timer ended the sleep")?,
        _ => 0..0,
    };
    print!("{}{said}", list(&steps, background, Follow::new(&places, server(call)))?);
    Ok(ExitCode::SUCCESS)
}
/// What is called.
fn server(call: &str) -> &'static str {
    match call {
        "yield" | "yield-2" | "semaphore" | "semaphore-2" | "interrupt" => "scheduler",
        _ => "server",
    }
}

/// Instructions and cycles of parts that follow each other.
#[derive(Default)]
struct Sums(Vec<(String, usize, u64)>);
impl Sums {
    fn add(&mut self, part: &str, cycles: u64) {
        match self.0.last_mut() {
            Some((last, count, sum)) if last == part => {
                *count += 1;
                *sum += cycles;
            }
            _ => self.0.push((part.into(), 1, cycles)),
        }
    }
    /// A line for each, and one for `all`.
    fn lines(&self, all: &str) -> String {
        let mut text = format!("\n{:<26} {:>12}  {:>6}\n", "part", "instructions", "cycles");
        for (part, count, cycles) in &self.0 {
            text += &format!("{part:<26} {count:>12}  {cycles:>6}\n");
        }
        let (count, cycles) = self.0.iter().fold((0, 0), |(n, c), (_, count, cycles)| (n + count, c + cycles));
        text + &format!("{all:<26} {count:>12}  {cycles:>6}\n")
    }
}

/// A line for each instruction, the sum of each part, and of each reason. The steps of `background` are a line together, and
/// belong to no sum.
fn list(steps: &[Step], background: Range<usize>, mut follow: Follow) -> Result<String> {
    let texts = disassemble(steps)?;
    let mut text = format!("{:<26} {:>18}  cycles  {:<24}  why\n", "part", "address", "instruction");
    let mut found = Vec::new();
    let (mut before, mut after) = (Sums::default(), Sums::default());
    // The first and the last are the marks; the cycles of an instruction are those since the commit of the one before.
    for n in 1..steps.len() - 1 {
        let step = &steps[n];
        let part = follow.part(step);
        if background.contains(&n) {
            if n + 1 == background.end {
                let cycles = step.cycle - steps[background.start - 1].cycle;
                text += &format!("{:<26} {:>18}  {cycles:>6}  {} instructions\n", "background", "", background.len());
            }
            continue;
        }
        let cycles = step.cycle - steps[n - 1].cycle;
        let why = reason((&texts[n - 1], steps[n - 1].privilege), (&texts[n], step.privilege), cycles);
        found.push((why, cycles));
        let line = format!("{part:<26} {:>18x}  {cycles:>6}  {:<24}  {why}", step.pc, texts[n]);
        text += line.trim_end();
        text += "\n";
        if n < background.start { &mut before } else { &mut after }.add(&part, cycles);
    }
    if !background.is_empty() {
        text += &before.lines("until the background runs");
        text += &after.lines("from the interrupt on");
    } else {
        text += &after.lines("all");
    }
    text += &reasons(&found);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read() {
        let steps = parse("10 U 10000 102013\n11 U 10004 73\n30 S ffffffffc0200080 14021273\n").unwrap();
        assert_eq!(steps[2], Step { cycle: 30, privilege: Supervisor, pc: 0xffff_ffff_c020_0080, word: 0x1402_1273 });
    }
    #[test]
    fn an_empty_trace_is_refused() {
        assert!(parse("").is_err());
    }
    #[test]
    fn a_broken_line_is_refused() {
        assert!(parse("10 U 10000 102013\n11 U\n12 U 10004 73\n").is_err());
        assert!(parse("10 U 10000 102013\n11 ? 10004 73\n12 U 10004 73\n").is_err());
    }
    #[test]
    fn what_takes_long_is_said_why() {
        for (before, instruction, cycles, why) in [
            ("ecall", "csrrw tp,sscratch,tp", 7, "a trap empties the pipeline"),
            ("csrw satp,t5", "ld sp,16(tp)", 9, "another page table empties the pipeline"),
            ("csrr t0,scause", "add t0,t0,-8", 3, "a control register is slow"),
            ("beqz a7,0x110", "ld t0,0(tp)", 9, "a branch or jump was predicted wrongly"),
            ("beqz a7,0x110", "ld t2,8(tp)", 3, "a load takes three"),
            ("ld t0,0(tp)", "jr t1", 3, "what was loaded is needed at once"),
            ("sd t2,8(t0)", "sd t3,16(t0)", 20, "the stores before have not reached memory"),
            ("li a0,1", "amoadd.w.aq a0,a0,(s2)", 90, "an atomic access goes to memory"),
            ("mv a0,a1", "mv a1,a2", 1, ""),
        ] {
            assert_eq!(reason((before, User), (instruction, User), cycles), why, "{before}; {instruction}");
        }
    }
    #[test]
    fn what_takes_long_in_the_firmware_is_said_why() {
        for (before, from, instruction, cycles, why) in [
            ("lw a5,12(sp)", User, "csrw mscratch,t0", 8, "a trap empties the pipeline"),
            ("lui t0,0x200c", Machine, "ld t0,-8(t0)", 30, "a device is read"),
            ("csrw mepc,t0", Machine, "csrr t0,mscratch", 3, "a control register is slow"),
        ] {
            assert_eq!(reason((before, from), (instruction, Machine), cycles), why, "{before}; {instruction}");
        }
        let returned = reason(("mret", Machine), ("mv s1,a0", User), 8);
        assert_eq!(returned, "the return from a trap empties the pipeline");
    }
    #[test]
    fn reasons_are_summed_beyond_a_cycle_each() {
        let text = reasons(&[
            ("a load takes three", 3),
            ("", 1),
            ("a trap empties the pipeline", 7),
            ("a load takes three", 3),
        ]);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("a trap") && lines[0].ends_with(" 6"), "{text}");
        assert!(lines[1].ends_with("2       4"), "{text}");
    }
    fn places() -> Places {
        let symbols = [(0x8000, "nucleus_trap"), (0x8100, "nucleus_switch"), (0x8200, "nucleus_asid")];
        Places { nucleus: symbols.map(|(at, name)| (at, name.into())).into(), nucleus_end: 0x9000 }
    }
    fn at(privilege: Privilege, pc: u64) -> Step {
        Step { cycle: 0, privilege, pc, word: 0x13 }
    }
    const STUB: u64 = RETURN_PAGE as u64;
    fn parts(steps: &[Step]) -> Vec<String> {
        let places = places();
        let mut follow = Follow::new(&places, "server");
        steps.iter().map(|step| follow.part(step)).collect()
    }
    #[test]
    fn the_parts_of_a_call_are_told_apart() {
        let (client, server) = (at(User, 0x1_0000), at(User, 0x1_0000));
        let (trap, portal) = (at(Supervisor, 0x8010), at(Supervisor, 0x9010));
        let call = [client, trap, portal, at(User, STUB), server, at(User, STUB + 4), trap, portal, client];
        let names = ["client", "nucleus trap", "call portal", "entry stub", "server", "return stub", "nucleus trap"];
        assert_eq!(parts(&call), [&names[..], &["return portal", "client"]].concat());
    }
    #[test]
    fn a_short_circuit_portal_and_the_firmware_come_back_to_who_called() {
        let client = at(User, 0x1_0000);
        let steps = [client, at(Supervisor, 0x8210), client, at(Machine, 0x8000_0100), client];
        assert_eq!(parts(&steps), ["client", "nucleus asid", "client", "firmware", "client"]);
    }
    #[test]
    fn two_threads_that_take_turns_go_on_where_they_were() {
        let (user, trap, portal) = (at(User, 0x1_0000), at(Supervisor, 0x8010), at(Supervisor, 0x9010));
        // Both wait in a server that called the scheduler.
        let enter = [trap, portal, at(User, STUB), user];
        let switch = [at(Supervisor, 0x8110), portal, user];
        let back = [at(User, STUB + 4), trap, portal, user];
        let steps = [&[user][..], &enter, &enter, &switch, &back].concat();
        let found = parts(&steps);
        assert_eq!(found[10], "return portal");
        assert_eq!((found[11].as_str(), found.last().map(String::as_str)), ("server", Some("client")));
    }
    /// A sleep: the call, the switch, another thread that is interrupted twice, the switch back.
    fn sleep() -> Vec<Step> {
        let (user, trap) = (at(User, 0x1_0000), at(Supervisor, 0x8010));
        let switch = [at(Supervisor, 0x8110), at(Supervisor, 0x9010)];
        let pending = Step { word: 0x3442_a073, ..at(Machine, 0x8000_0130) };
        let interrupt = [at(Machine, 0x8000_011c), pending, at(Machine, 0x8000_0138), trap, at(User, STUB), user];
        let steps =
            [&[user, trap, at(User, STUB)][..], &[at(Machine, 0x8000_0100), user, trap], &switch, &[user, user]];
        [&steps.concat()[..], &interrupt, &[trap, user, user], &interrupt, &switch, &[user]].concat()
    }
    #[test]
    fn the_background_ends_with_the_last_interrupt() {
        let steps = sleep();
        let background = places().background(&steps).unwrap();
        assert_eq!((steps[background.start], background.start), (at(User, 0x1_0000), 8));
        assert_eq!(steps[background.end].pc, 0x8000_011c);
        assert_eq!(background.end, steps.len() - 9);
    }
    #[test]
    fn without_an_interrupt_or_a_switch_there_is_no_background() {
        let no_interrupt: Vec<Step> = sleep().into_iter().filter(|step| !sets_timer_pending(step)).collect();
        assert_eq!(places().background(&no_interrupt), None);
        let no_switch: Vec<Step> = sleep().into_iter().filter(|step| !places().switches(step)).collect();
        assert_eq!(places().background(&no_switch), None);
    }
    #[test]
    fn the_background_is_one_line_and_in_no_sum() {
        let steps: Vec<Step> = sleep().into_iter().zip(0..).map(|(step, n)| Step { cycle: 10 * n, ..step }).collect();
        let places = places();
        let background = places.background(&steps).unwrap();
        let text = list(&steps, background.clone(), Follow::new(&places, "scheduler")).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("background")).count(), 1);
        let sum = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line[26..].split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<usize>>()
        };
        // Without the marks.
        let (before, after) = (background.start - 1, steps.len() - background.end - 1);
        assert_eq!(sum("until the background runs"), [before, 10 * before]);
        assert_eq!(sum("from the interrupt on"), [after, 10 * after]);
    }
    #[test]
    fn the_program_knows_what_can_be_explained_and_no_more() {
        let program = include_str!("../../../apps/bench/explain.c");
        let mut asked: Vec<&str> =
            program.split("strcmp(what, \"").skip(1).filter_map(|s| s.split('"').next()).collect();
        asked.sort();
        asked.dedup();
        let mut known = CALLS;
        known.sort();
        assert_eq!(asked, known);
        let page = include_str!("../../../docs/src/benchmarks.md");
        for call in CALLS {
            assert!(page.contains(&format!("`{call}`")), "the page does not name {call}");
        }
    }
}
