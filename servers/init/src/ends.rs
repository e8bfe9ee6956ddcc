//! What is said when a domain has ended.

use abi::system::{Ended, cause_text, ended};
use alloc::format;
use alloc::string::String;

/// The line for the end of `name`; none for an end that needs no words.
pub fn line(name: &str, how: &Ended) -> Option<String> {
    let who = format!("pebble: {name} (domain {})", how.asid);
    match how.kind {
        ended::FAULT => {
            let cause = cause_text(how.cause);
            let pager = match how.pager {
                0 => String::new(),
                own if own == how.asid => String::from(", which its own handler did not answer"),
                other => format!(", which its pager, domain {other}, did not answer{}", within(how.waited)),
            };
            Some(format!("{who} was stopped: {cause} at address {:#x}, pc {:#x}{pager}", how.address, how.pc))
        }
        ended::KILLED => Some(format!("{who} was killed")),
        _ if how.status != 0 => Some(format!("{who} ended with status {}", how.status)),
        _ => None,
    }
}

fn within(seconds: u64) -> String {
    if seconds == 0 { String::new() } else { format!(" within {seconds} seconds") }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn end(kind: u64, status: i64) -> Ended {
        Ended { asid: 12, kind, status, cause: 13, address: 0xfee0, pc: 0x10030, pager: 0, waited: 0 }
    }
    #[test]
    fn a_fault_is_told_with_its_cause_and_place() {
        let told = line("demo", &end(ended::FAULT, -13)).unwrap();
        assert_eq!(told, "pebble: demo (domain 12) was stopped: load page fault at address 0xfee0, pc 0x10030");
    }
    #[test]
    fn the_pager_that_did_not_answer_is_named() {
        let told = |pager| line("demo", &Ended { pager, ..end(ended::FAULT, -13) }).unwrap();
        assert!(told(9).ends_with("pc 0x10030, which its pager, domain 9, did not answer"));
        assert!(told(12).ends_with(", which its own handler did not answer"));
        let late = Ended { pager: 9, waited: 5, ..end(ended::FAULT, -13) };
        assert!(line("demo", &late).unwrap().ends_with("which its pager, domain 9, did not answer within 5 seconds"));
    }
    #[test]
    fn a_kill_and_a_failure_are_told() {
        assert_eq!(line("demo", &end(ended::KILLED, 0)).unwrap(), "pebble: demo (domain 12) was killed");
        assert_eq!(line("demo", &end(ended::EXIT, 3)).unwrap(), "pebble: demo (domain 12) ended with status 3");
    }
    #[test]
    fn a_success_is_not_told() {
        assert_eq!(line("demo", &end(ended::EXIT, 0)), None);
    }
}
