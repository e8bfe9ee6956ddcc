//! What is said of how a program ended, and the status that `$?` has then.

use abi::Error;
use abi::system::{Ended, cause_text, ended};
use alloc::format;
use alloc::string::String;

/// A program that could not be started, and one that there is not.
pub const NOT_STARTED: i32 = 126;
pub const NOT_FOUND: i32 = 127;
/// A program was ended by a signal: this, and the signal's number. SIGKILL and SIGSEGV stand for `kill` and for a fault.
pub const SIGNALLED: i32 = 128;
const KILLED: i32 = SIGNALLED + SIGKILL as i32;
const FAULT: i32 = SIGNALLED + 11;
/// Numbers of signals.
pub const SIGINT: usize = 2;
pub const SIGKILL: usize = 9;
pub const SIGTERM: usize = 15;
/// Errors of the system's own, which POSIX does not have, are said from here on.
const OWN_ERRORS: i32 = 200;

/// The status of a program that ended so.
pub fn status(how: &Ended) -> i32 {
    match how.kind {
        ended::EXIT => how.status as i32,
        ended::FAULT => FAULT,
        _ => KILLED,
    }
}
/// Those that the C library has, with their names.
const SIGNALS: [(i32, &str); 16] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGEMT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGBUS"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (30, "SIGUSR1"),
    (31, "SIGUSR2"),
];
/// The number of a signal as `kill` is told it behind its `-`: its number, or its name with `SIG` or without.
pub fn signal(text: &str) -> Option<usize> {
    let named = |name: &str| name == text || name.strip_prefix("SIG") == Some(text);
    match text.parse() {
        Ok(number) => Some(number).filter(|number| (1..32).contains(number)),
        Err(_) => SIGNALS.iter().find(|(_, name)| named(name)).map(|(number, _)| *number as usize),
    }
}
/// The name of a status, where it has one.
fn name(status: i32) -> Option<String> {
    let signal =
        || SIGNALS.iter().find(|(number, _)| SIGNALLED + number == status).map(|(_, name)| String::from(*name));
    match status {
        NOT_STARTED => Some("could not be started".into()),
        NOT_FOUND => Some("not found".into()),
        OWN_ERRORS.. => Error::from_code(-status as isize).map(|error| error.name().into()),
        _ => signal(),
    }
}
/// The line for the end of `name` in domain `how.number()`; none for a success.
pub fn line(program: &str, how: &Ended) -> Option<String> {
    match how.kind {
        ended::EXIT if how.status == 0 => None,
        ended::EXIT => Some(match name(how.status as i32) {
            Some(name) => format!("exit status {} ({name})", how.status),
            None => format!("exit status {}", how.status),
        }),
        ended::FAULT => {
            let (cause, number, Ended { address, pc, .. }) = (cause_text(how.cause), how.number(), how);
            Some(format!("{program} (domain {number}) was stopped: {cause} at address {address:#x}, pc {pc:#x}"))
        }
        _ => Some(format!("{program} (domain {}) was killed", how.number())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn end(kind: u64, status: i64) -> Ended {
        Ended { identity: 7 << 16 | 12, kind, status, cause: 13, address: 0xfee0, pc: 0x10030, ..Ended::default() }
    }
    #[test]
    fn a_signal_is_named_or_numbered() {
        assert_eq!(["INT", "SIGINT", "2"].map(signal), [Some(SIGINT); 3]);
        assert_eq!((signal("KILL"), signal("USR1")), (Some(SIGKILL), Some(30)));
        assert_eq!(["", "SIG", "SIGSIGINT", "0", "32", "-1", "int"].map(signal), [None; 7]);
    }
    #[test]
    fn a_status_has_its_name() {
        let said = |status| line("demo", &end(ended::EXIT, status));
        assert_eq!((said(0), said(3)), (None, Some("exit status 3".into())));
        assert_eq!(said(134).unwrap(), "exit status 134 (SIGABRT)");
        assert_eq!(said(204).unwrap(), "exit status 204 (EACCESS)");
    }
    #[test]
    fn a_fault_is_told_with_its_cause_and_place() {
        let told = line("demo", &end(ended::FAULT, -13)).unwrap();
        assert_eq!(told, "demo (domain 12) was stopped: load page fault at address 0xfee0, pc 0x10030");
        assert_eq!((status(&end(ended::FAULT, -13)), status(&end(ended::KILLED, 0))), (139, 137));
    }
}
