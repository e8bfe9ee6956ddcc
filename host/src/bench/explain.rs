//! `--explain`: every instruction of one call, with the cycles it takes on the model.

use crate::qemu::Console;
use crate::{build, exec, rtl};
use abi::address::{PAGE, RETURN_PAGE};
use anyhow::{Context, Result, bail};
use image::Program;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "apps/bench/explain.c";
const OBJDUMP: &str = "riscv64-unknown-elf-objdump";
/// Cycles after which a run is given up.
const MOST_CYCLES: u64 = 200_000_000;

/// A committed instruction.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Step {
    cycle: u64,
    supervisor: bool,
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
            supervisor: privilege != "U",
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

/// The parts of a call, by the place of an instruction and what came before.
struct Places {
    nucleus: BTreeMap<u64, String>,
    nucleus_end: u64,
}
impl Places {
    fn new(nucleus: &Program) -> Places {
        let code = nucleus.segments.iter().filter(|s| s.rights & abi::address::pte::X != 0);
        let nucleus_end = code.map(|s| s.va + s.memory_bytes).max().unwrap_or(0);
        let names = nucleus.symbols.iter().filter(|(n, _)| n.starts_with("nucleus_"));
        Places { nucleus: names.map(|(n, &at)| (at, n.clone())).collect(), nucleus_end }
    }
    /// Name of the part of the call that a step belongs to; `deep`: the server has been entered.
    fn part(&self, step: &Step, deep: bool, returning: bool) -> String {
        let end = self.nucleus_end;
        if step.supervisor && step.pc < end {
            let symbol = self.nucleus.range(..=step.pc).next_back().map_or("nucleus", |(_, n)| n.as_str());
            return symbol.replace("nucleus_", "nucleus ");
        }
        if step.supervisor {
            return if returning { "return portal" } else { "call portal" }.into();
        }
        match step.pc / PAGE as u64 * PAGE as u64 {
            page if page == RETURN_PAGE as u64 => "return stub".into(),
            _ if deep && !returning => "server".into(),
            _ => "client".into(),
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
/// Why an instruction was committed so long after the one before it.
fn reason(before: &str, instruction: &str, cycles: u64) -> &'static str {
    let name = |text: &str| text.split([' ', ',']).next().unwrap_or("").to_string();
    let is_load = |name: &str| matches!(name, "lb" | "lbu" | "lh" | "lhu" | "lw" | "lwu" | "ld");
    let (last, this) = (name(before), name(instruction));
    let jumps = last.starts_with('b') || last.starts_with('j') || last == "ret";
    match last.as_str() {
        _ if cycles < LONG => "",
        "ecall" => "a trap empties the pipeline",
        "sret" => "the return from a trap empties the pipeline",
        "sfence.vma" => "forgetting a translation empties the pipeline",
        _ if last.starts_with("csr") && before.contains("satp") => "another page table empties the pipeline",
        _ if is_load(&this) && cycles == LONG => "a load takes three",
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
pub fn explain(root: &Path, specification: &str, latencies: rtl::Latencies) -> Result<ExitCode> {
    let options = exec::Options {
        on: exec::On::Rtl,
        system: "bench".into(),
        memory: 128,
        file_name: root.join(PROGRAM),
        arguments: vec![specification.into()],
        ..exec::Options::default()
    };
    let model = rtl::build_model(root)?;
    let image = exec::program_image(root, &options, false)?;
    let (nucleus, _) = build::build(root, &[])?;
    let places = Places::new(&Program::parse("nucleus", &nucleus)?);
    let trace = tempfile::NamedTempFile::new()?;
    let settings = rtl::Settings { latencies, timeout_cycles: MOST_CYCLES, trace: Some(trace.path().to_path_buf()) };
    eprintln!("pebble: a call on the model, memory {latencies} (half a minute)");
    let outcome = rtl::run(&model, &image, &settings, Console::Captured(None))?;
    let status = exec::status(&outcome, true);
    if status != 0 {
        bail!("{}", String::from_utf8_lossy(&outcome.output).trim_end());
    }
    let steps = parse(&std::fs::read_to_string(trace.path())?)?;
    print!("{}", list(&steps, &places)?);
    Ok(ExitCode::SUCCESS)
}
/// A line for each instruction, the sum of each part, and of each reason.
fn list(steps: &[Step], places: &Places) -> Result<String> {
    let texts = disassemble(steps)?;
    let mut text = format!("{:<26} {:>18}  cycles  {:<24}  why\n", "part", "address", "instruction");
    let mut found = Vec::new();
    let mut sums: Vec<(String, usize, u64)> = Vec::new();
    let (mut deep, mut returning) = (false, false);
    // The first and the last are the marks; the cycles of an instruction are those since the commit of the one before.
    for n in 1..steps.len() - 1 {
        let step = &steps[n];
        let cycles = step.cycle - steps[n - 1].cycle;
        if !step.supervisor && steps[n - 1].supervisor {
            deep = !returning;
        }
        if !step.supervisor && step.pc / PAGE as u64 == RETURN_PAGE as u64 / PAGE as u64 {
            returning = true;
        }
        let part = places.part(step, deep, returning);
        let why = reason(&texts[n - 1], &texts[n], cycles);
        found.push((why, cycles));
        let line = format!("{part:<26} {:>18x}  {cycles:>6}  {:<24}  {why}", step.pc, texts[n]);
        text += line.trim_end();
        text += "\n";
        match sums.last_mut() {
            Some((last, count, sum)) if *last == part => {
                *count += 1;
                *sum += cycles;
            }
            _ => sums.push((part, 1, cycles)),
        }
    }
    text += &format!("\n{:<26} {:>12}  {:>6}\n", "part", "instructions", "cycles");
    for (part, count, cycles) in &sums {
        text += &format!("{part:<26} {count:>12}  {cycles:>6}\n");
    }
    let (count, cycles): (usize, u64) = sums.iter().fold((0, 0), |(n, c), s| (n + s.1, c + s.2));
    text += &format!("{:<26} {count:>12}  {cycles:>6}\n", "all");
    text += &reasons(&found);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read() {
        let steps = parse("10 U 10000 102013\n11 U 10004 73\n30 S ffffffffc0200080 14021273\n").unwrap();
        assert_eq!(steps[2], Step { cycle: 30, supervisor: true, pc: 0xffff_ffff_c020_0080, word: 0x1402_1273 });
    }
    #[test]
    fn an_empty_trace_is_refused() {
        assert!(parse("").is_err());
    }
    #[test]
    fn a_broken_line_is_refused() {
        assert!(parse("10 U 10000 102013\n11 U\n12 U 10004 73\n").is_err());
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
            assert_eq!(reason(before, instruction, cycles), why, "{before}; {instruction}");
        }
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
    #[test]
    fn the_parts_of_a_call_are_told_apart() {
        let places = Places { nucleus: BTreeMap::from([(0x8000, "nucleus_trap".into())]), nucleus_end: 0x9000 };
        let at = |pc, supervisor| Step { cycle: 0, supervisor, pc, word: 0x13 };
        assert_eq!(places.part(&at(0x8010, true), false, false), "nucleus trap");
        assert_eq!(places.part(&at(0x9010, true), false, false), "call portal");
        assert_eq!(places.part(&at(0x1_0000, false), true, false), "server");
        assert_eq!(places.part(&at(RETURN_PAGE as u64, false), true, true), "return stub");
        assert_eq!(places.part(&at(0x9010, true), true, true), "return portal");
        assert_eq!(places.part(&at(0x1_0000, false), false, true), "client");
    }
}
