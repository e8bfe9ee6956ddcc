//! What is said when a domain has ended.

use crate::line::Line;
use abi::address::SEGMENTS_END;
use abi::enclosure::own_segment;
use abi::system::{Ended, cause_text, ended};
use core::fmt::Write;

/// The line for the end of `name`; none for an end that needs no words. `hosted`: it is a software fault domain.
pub fn line(name: &str, hosted: bool, how: &Ended) -> Option<Line> {
    let mut line = Line::of(format_args!("pebble: {name} (domain {})", how.number()));
    // What is too long is cut.
    let _ = match how.kind {
        ended::FAULT => fault(&mut line, hosted, how),
        // The end of its task is told.
        ended::KILLED if how.cause != 0 => return None,
        ended::KILLED => write!(line, " was killed"),
        _ if how.status != 0 => write!(line, " ended with status {}", how.status),
        _ => return None,
    };
    Some(line)
}
fn fault(line: &mut Line, hosted: bool, how: &Ended) -> core::fmt::Result {
    write!(line, " was stopped: {} at address {:#x}, pc {:#x}", cause_text(how.cause), how.address, how.pc)?;
    match own_segment(how.pc) {
        Some((base, _)) if hosted => {
            write!(line, " of its fault domain ({:#x} of its program)", how.pc - base)?;
        }
        // Where a jump has led that ends nowhere.
        None if hosted && how.pc >= SEGMENTS_END as u64 => write!(line, " of its fault domain")?,
        _ if hosted => write!(line, " of its fault domain's host")?,
        _ => {}
    }
    match how.pager {
        0 => Ok(()),
        own if own == how.number() as u64 => write!(line, ", which its own handler did not answer"),
        other => {
            write!(line, ", which its pager, domain {other}, did not answer")?;
            if how.waited == 0 { Ok(()) } else { write!(line, " within {} seconds", how.waited) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn end(kind: u64, status: i64) -> Ended {
        let cause = if kind == ended::FAULT { 13 } else { 0 };
        Ended { identity: 7 << 16 | 12, kind, status, cause, address: 0xfee0, pc: 0x10030, ..Ended::default() }
    }
    fn line(name: &str, hosted: bool, how: &Ended) -> Option<String> {
        fallible::failing::with_only(0, || super::line(name, hosted, how)).map(|line| line.text().into())
    }
    #[test]
    fn a_fault_is_told_with_its_cause_and_place() {
        let told = line("demo", false, &end(ended::FAULT, -13)).unwrap();
        assert_eq!(told, "pebble: demo (domain 12) was stopped: load page fault at address 0xfee0, pc 0x10030");
    }
    #[test]
    fn the_pager_that_did_not_answer_is_named() {
        let told = |pager| line("demo", false, &Ended { pager, ..end(ended::FAULT, -13) }).unwrap();
        assert!(told(9).ends_with("pc 0x10030, which its pager, domain 9, did not answer"));
        assert!(told(12).ends_with(", which its own handler did not answer"));
        let late = Ended { pager: 9, waited: 5, ..end(ended::FAULT, -13) };
        assert!(
            line("demo", false, &late).unwrap().ends_with("which its pager, domain 9, did not answer within 5 seconds")
        );
    }
    #[test]
    fn the_place_in_a_fault_domains_program_is_told() {
        let told = |pc| line("demo", true, &Ended { pc, ..end(ended::FAULT, -13) }).unwrap();
        assert!(told(0x1802_0030).ends_with("pc 0x18020030 of its fault domain (0x20030 of its program)"));
        assert!(told(0x1_0030).ends_with("pc 0x10030 of its fault domain's host"));
    }
    #[test]
    fn a_kill_and_a_failure_are_told() {
        assert_eq!(line("demo", false, &end(ended::KILLED, 0)).unwrap(), "pebble: demo (domain 12) was killed");
        assert_eq!(line("demo", false, &end(ended::EXIT, 3)).unwrap(), "pebble: demo (domain 12) ended with status 3");
    }
    #[test]
    fn of_a_task_and_its_parts_one_end_is_told() {
        assert_eq!(line("part", false, &Ended { cause: 11, ..end(ended::KILLED, 0) }), None);
    }
    #[test]
    fn a_success_is_not_told() {
        assert_eq!(line("demo", false, &end(ended::EXIT, 0)), None);
    }
}
