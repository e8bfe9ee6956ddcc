//! Faults that are injected into components while seven clients use them (`tests/systems/faulty.toml`): the observer there
//! (`tests/target/components/observer.c`) asks for one after the other, and tells what came of each.

mod report;

use super::{Campaign, Failure, Ran};
use crate::connection::Connection;
use crate::exec::{self, Built, On, Options};
use crate::qemu::{self, Console};
use crate::strict_machine::{self, Asked};
use abi::address::{PRIVATE_VA, RECEIVE_VA, SEGMENTS_END, SEGMENTS_VA};
use abi::error::Error;
use abi::nucleus::{Thread, domain};
use anyhow::{Result, bail, ensure};
use image::Image;
use report::{Found, Row, Rows};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::offset_of;
use std::path::Path;
use strict::{Fault, Kind, Mutation, Places, Settings, Struck};

const SYSTEM: &str = "faulty";
const PROGRAM: &str = "tests/target/components/observer.c";
/// What is started again when it fails.
const RESTARTED: [&str; 7] = ["console", "files", "capabilities", "clock", "plain", "software", "super"];
/// The first components, which end with the machine: one of them is the last in a boot that a fault is injected into.
const FIRST: [&str; 6] = ["scheduler", "interrupts", "memory", "portals", "names", "init"];
const CLIENTS: [&str; 7] = ["pipes", "blocks", "turns", "words", "keys", "times", "lines"];
/// Which of the clients stand on what: an end of theirs with it is no other's.
const STAND_ON: [(&str, &str); 8] = [
    ("pipes", "files"),
    ("blocks", "files"),
    ("words", "plain"),
    ("words", "software"),
    ("words", "super"),
    ("keys", "capabilities"),
    ("times", "clock"),
    ("lines", "console"),
];
/// Faults of one boot, the one in a first component included.
const FAULTS: u64 = 20;
/// Of what the faults of a boot follow from, besides the system: another one, other faults.
const REVISION: u32 = 1;
/// Instructions within which the observer asks again; what it waits for takes a fifth at most.
const INSTRUCTIONS: u64 = 5_000_000_000;
/// Bits of what the observer says came of a fault.
const ENDED: u64 = 1;
const WRONG: u64 = 2;
const REFUSED: u64 = 4;
const STUCK: u64 = 8;
const RECOVERED: u64 = 16;
const BROKEN: u64 = 32;
/// What it asks.
const NEXT: u64 = 0;
const INJECT: u64 = 1;
const STRUCK: u64 = 2;
const RESULT: u64 = 3;
/// Of the observer's ticks, in a millisecond.
const TICKS: u64 = 500_000;

const KINDS: [Kind; 12] = [
    Kind::Instruction(Mutation::Source),
    Kind::Instruction(Mutation::Destination),
    Kind::Instruction(Mutation::Address),
    Kind::Instruction(Mutation::Pointer),
    Kind::Instruction(Mutation::Branch),
    Kind::Instruction(Mutation::Deleted),
    Kind::Instruction(Mutation::OffByOne),
    Kind::Data,
    Kind::Register,
    Kind::Argument,
    Kind::Answer,
    Kind::Refused(Error::ENOMEM.code() as i64),
];
/// How a kind is called in the report.
fn called(kind: Kind) -> String {
    match kind {
        Kind::Instruction(mutation) => format!("{mutation:?}").to_lowercase(),
        Kind::Refused(_) => "no memory".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}
/// Numbers that follow from a seed (splitmix64).
struct Numbers(u64);
impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mix = |value: u64, shift: u32, factor: u64| (value ^ value >> shift).wrapping_mul(factor);
        let value = mix(mix(self.0, 30, 0xbf58_476d_1ce4_e5b9), 27, 0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }
}

/// One boot: its faults, and what came of them.
struct Boot<'a> {
    image: &'a Image,
    numbers: Numbers,
    seed: u32,
    faults: u64,
    /// The last one is in one of the first components.
    first: bool,
    /// The one that the observer is about.
    now: Option<Row>,
    /// The log when it was injected.
    before: String,
    rows: Vec<Row>,
}
impl Boot<'_> {
    /// Which component is the next, by its place among the observer's arguments.
    fn next(&mut self) -> usize {
        match self.rows.len() as u64 + 1 {
            n if n > self.faults => usize::MAX,
            FAULTS if self.first => RESTARTED.len() + self.numbers.next() as usize % FIRST.len(),
            _ => self.numbers.next() as usize % RESTARTED.len(),
        }
    }
    fn log(&self, machine: &strict::Machine) -> String {
        strict_machine::log(machine, self.image).map_or(String::new(), |log| log.text)
    }
    fn inject(&mut self, machine: &mut strict::Machine, identity: u64) {
        let kind = KINDS[self.numbers.next() as usize % KINDS.len()];
        // Few instructions as often as many.
        let most = 1 << (self.numbers.next() % 17);
        let after = 1 + self.numbers.next() % most;
        self.before = self.log(machine);
        machine.inject(Fault { kind, identity, after, random: self.numbers.next() });
        if let Some(row) = &mut self.now {
            row.kind = called(kind);
        }
    }
    /// What came of the fault, as the observer says it.
    fn result(&mut self, machine: &mut strict::Machine, [what, ticks, others]: [u64; 3]) -> u64 {
        let log = self.log(machine);
        let said = fresh(&self.before, &log).to_string();
        let Some(mut row) = self.now.take() else { return 1 };
        row.struck = machine.withdraw().as_ref().map(told);
        row.found = found(&row.component, what, &said);
        row.recovered = what & RECOVERED != 0;
        row.broken = what & BROKEN != 0;
        row.milliseconds = ticks as f64 / TICKS as f64;
        let names = RESTARTED.iter().chain(&FIRST).chain(&CLIENTS);
        let ended = names.enumerate().filter(|(n, _)| others >> n & 1 == 1).map(|(_, name)| name.to_string());
        let stands_on_it = |name: &String| STAND_ON.contains(&(name, &row.component));
        (row.clients, row.others) = ended.partition(stands_on_it);
        row.said = said;
        self.rows.push(row);
        0
    }
}
impl Asked for Boot<'_> {
    fn asked(&mut self, machine: &mut strict::Machine, [what, a, b, c, ..]: [u64; 8]) -> u64 {
        machine.limit(INSTRUCTIONS);
        match what {
            NEXT => {
                let next = self.next();
                let name = RESTARTED.iter().chain(&FIRST).nth(next);
                self.now = name.map(|name| Row::new(self.seed, self.rows.len(), name));
                if name.is_some() { next as u64 } else { u64::MAX }
            }
            INJECT => {
                self.inject(machine, a);
                0
            }
            STRUCK => machine.struck().is_some().into(),
            RESULT => self.result(machine, [a, b, c]),
            _ => u64::MAX,
        }
    }
    fn over(&mut self, machine: &mut strict::Machine) {
        if let Some(row) = &mut self.now {
            row.struck = machine.withdraw().as_ref().map(told);
        }
    }
}
/// What the nucleus has said of the end of the system.
fn last_words(output: &[u8]) -> Option<String> {
    let output = String::from_utf8_lossy(output);
    let words = output.lines().find_map(|line| line.split_once("pebble: the system stopped: "))?.1;
    Some(words.trim_end().into())
}
/// A fault that has struck, for the report.
fn told(struck: &Struck) -> String {
    format!("at pc {:#x}, instruction {}: {}", struck.pc, struck.when, struck.what)
}
/// What a log has that it did not have before, when it may have lost its first lines since.
fn fresh<'a>(before: &str, now: &'a str) -> &'a str {
    let lines = std::iter::once(0).chain(before.match_indices('\n').map(|(at, _)| at + 1));
    lines.into_iter().find_map(|at| now.strip_prefix(&before[at..])).unwrap_or(now)
}
/// How it was found that something is wrong with `name`.
fn found(name: &str, what: u64, said: &str) -> Found {
    let of_it =
        |text: &str| said.lines().any(|line| line.starts_with(&format!("pebble: {name}")) && line.contains(text));
    if what & ENDED != 0 {
        return if of_it("does not answer") {
            Found::Deadline
        } else if of_it("was stopped") {
            Found::Exception
        } else {
            Found::Panic
        };
    }
    match what {
        _ if what & WRONG != 0 => Found::Wrong,
        _ if what & REFUSED != 0 => Found::Error,
        _ if what & STUCK != 0 => Found::Stuck,
        _ => Found::Nothing,
    }
}

pub struct Faults {
    built: Built,
    rows: Rows,
    build: u64,
}
impl Faults {
    pub fn new(root: &Path) -> Result<Faults> {
        let options =
            Options { on: On::Strict, system: SYSTEM.into(), file_name: root.join(PROGRAM), ..Options::default() };
        let built = exec::build_program(root, &options, Connection::Serial)?;
        let mut hasher = DefaultHasher::new();
        REVISION.hash(&mut hasher);
        built.image(&arguments())?.bytes.hash(&mut hasher);
        let build = hasher.finish();
        Ok(Faults { built, rows: Rows::of(root, build), build })
    }
    /// One boot with so many faults at most, the last of them in one of the first components if `first`.
    fn boot(&self, seed: u32, faults: u64, first: bool) -> Result<Vec<Row>> {
        let image = self.built.image(&arguments())?;
        let numbers = Numbers(seed.into());
        let mut boot =
            Boot { image: &image, numbers, seed, faults, first, now: None, before: String::new(), rows: Vec::new() };
        let places = Places {
            table: offset_of!(Thread, table) as u64,
            identity: domain::IDENTITY.into(),
            own: vec![PRIVATE_VA as u64..RECEIVE_VA as u64, SEGMENTS_VA as u64..SEGMENTS_END as u64],
        };
        let settings = Settings {
            faults: Some(places),
            limit: Some(INSTRUCTIONS),
            without: HashSet::new(),
            ..strict_machine::settings(None)
        };
        let (outcome, _) =
            strict_machine::run_asked(&image, &qemu::Machine::default(), settings, Console::Captured(None), &mut boot)?;
        let status = exec::status(&outcome, true);
        if boot.rows.is_empty() && boot.now.is_none() {
            let said = String::from_utf8_lossy(&outcome.heard.output).into_owned();
            bail!(
                "no fault was asked for: status {status}\n{said}\n{:?} {:?}",
                outcome.breach,
                outcome.log.map(|log| log.text)
            );
        }
        if let Some(mut row) = boot.now.take() {
            let log = outcome.log.map_or(String::new(), |log| log.text);
            let last: Vec<&str> = fresh(&boot.before, &log).lines().collect();
            row.said = last.join("\n");
            row.stopped = Some(
                outcome.breach.or(last_words(&outcome.heard.output)).unwrap_or_else(|| format!("status {status}")),
            );
            boot.rows.push(row);
        } else if let Some(last) = boot.rows.last_mut().filter(|last| last.recovered)
            && (status != 0 || outcome.breach.is_some())
        {
            // Behind the last one's end.
            last.stopped = Some(
                outcome.breach.or(last_words(&outcome.heard.output)).unwrap_or_else(|| format!("status {status}")),
            );
        }
        Ok(boot.rows)
    }
}
/// A few of them, as a test.
pub fn are_survived(root: &Path) -> Result<()> {
    let faults = Faults::new(root)?;
    let rows = [1, 2].map(|seed| faults.boot(seed, 10, false)).into_iter().collect::<Result<Vec<_>>>()?.concat();
    if let Some(why) = rows.iter().find_map(Row::wrong) {
        bail!("{why}");
    }
    let recovered = |found: Found| rows.iter().filter(|row| row.found == found && row.recovered).count();
    let (ended, answered) = (recovered(Found::Exception) + recovered(Found::Panic), recovered(Found::Wrong));
    ensure!(
        ended > 1 && answered > 0,
        "of {} faults only {ended} have ended a component, {answered} were seen in answers",
        rows.len()
    );
    Ok(())
}
/// The observer's.
fn arguments() -> Vec<String> {
    RESTARTED.iter().chain(&FIRST).chain(&["--"]).chain(&CLIENTS).map(|name| name.to_string()).collect()
}
impl Campaign for Faults {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, _run: u64, seed: u32, most: u64) -> Result<Ran> {
        let rows = self.boot(seed, FAULTS.min(most), true)?;
        self.rows.add(&rows)?;
        let command = format!("./pebble campaign faults --only {seed}");
        let failure = rows.iter().find_map(|row| row.wrong()).map(|why| Failure { command, why });
        Ok(Ran { steps: rows.len() as u64, failure })
    }
    fn report(&self) -> Result<Option<String>> {
        Ok(Some(self.rows.report()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_is_fresh_in_a_log_is_what_came_since() {
        assert_eq!(fresh("one\ntwo\n", "one\ntwo\nthree\n"), "three\n");
        assert_eq!(fresh("one\ntwo\n", "two\ntwo\n"), "two\n", "the first line is lost, and the last one came again");
        assert_eq!(fresh("one\n", "two\n"), "two\n", "all of it is lost");
        assert_eq!(fresh("", ""), "");
    }
    #[test]
    fn how_a_fault_was_found_is_what_the_log_says_of_its_component() {
        let stopped = "pebble: files (domain 9) was stopped: load page fault at address 0x0, pc 0x0\n";
        let late = "pebble: files does not answer: files.open of pipes has been in it for 54 ms\npebble: files (domain 9) was killed\n";
        assert_eq!(found("files", ENDED, stopped), Found::Exception);
        assert_eq!(found("files", ENDED | WRONG, late), Found::Deadline);
        assert_eq!(found("clock", ENDED, stopped), Found::Panic, "it is another's");
        assert_eq!(found("files", WRONG | STUCK, ""), Found::Wrong);
        assert_eq!(found("files", REFUSED, stopped), Found::Error);
        assert_eq!(found("files", STUCK | RECOVERED, ""), Found::Stuck);
        assert_eq!(found("files", RECOVERED, late), Found::Nothing, "the observer has ended it");
    }
    #[test]
    fn the_last_words_are_found_among_others() {
        let said = b"turn 3\n\npebble: the system stopped: cause 0xf address 0x8 pc 0x4cc22 domain 0x4\n";
        assert_eq!(last_words(said).as_deref(), Some("cause 0xf address 0x8 pc 0x4cc22 domain 0x4"));
        assert_eq!(last_words(b"turn 3\n"), None);
    }
    #[test]
    fn each_kind_has_a_name_of_its_own() {
        let mut names: Vec<String> = KINDS.iter().map(|&kind| called(kind)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
    }
}
