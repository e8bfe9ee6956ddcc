//! What is said while something takes its time: nothing for two seconds, then a line. On a terminal the line counts the seconds and is
//! wiped out in the end.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long something may take without a word.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a terminal is told how long it has been.
const STEP: Duration = Duration::from_secs(1);

/// Does `work`, and says on standard error what it is where it takes longer than two seconds.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let terminal = std::io::stderr().is_terminal();
    told(what, terminal, PATIENCE, &mut std::io::stderr(), work)
}
fn told<T>(
    what: &str,
    terminal: bool,
    patience: Duration,
    out: &mut (impl Write + Send),
    work: impl FnOnce() -> T,
) -> T {
    let (done, wait) = mpsc::channel::<()>();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut next = patience;
            let mut said = false;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(next) {
                // What can not be said is not worth ending for.
                let _ = if terminal {
                    write!(out, "\rpebble: {what} ({} s)", start.elapsed().as_secs()).and_then(|()| out.flush())
                } else {
                    writeln!(out, "pebble: {what}")
                };
                said = true;
                next = if terminal { STEP } else { Duration::MAX };
            }
            if said && terminal {
                let _ = write!(out, "\r\x1b[K").and_then(|()| out.flush());
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(terminal: bool, patience: u64, takes: u64) -> String {
        let mut out = Vec::new();
        let work = || std::thread::sleep(Duration::from_millis(takes));
        told("building", terminal, Duration::from_millis(patience), &mut out, work);
        String::from_utf8(out).unwrap()
    }
    #[test]
    fn what_is_quick_says_nothing() {
        assert_eq!(said(false, 60_000, 0), "");
    }
    #[test]
    fn what_takes_its_time_says_so_once() {
        assert_eq!(said(false, 10, 100), "pebble: building\n");
    }
    #[test]
    fn a_terminal_is_wiped_clean() {
        let said = said(true, 10, 100);
        assert!(said.starts_with("\rpebble: building (0 s)") && said.ends_with("\r\x1b[K"), "{said:?}");
    }
}
