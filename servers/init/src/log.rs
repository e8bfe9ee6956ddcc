//! The system log in RAM that the host reads: the newest lines, in their order. Where there is no room for one more, the oldest line goes of whom
//! most is said: who ends, fails or talks again and again takes others' lines from nobody.

use crate::line::Line;
use abi::log::{HEADER, Header};
use core::fmt::Write;

/// Most lines.
const LINES: usize = 256;
/// Those of whom lines are told apart; components behind them count as one.
const SOURCES: usize = 128;

/// Of whom a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(u8);
impl Source {
    pub const INIT: Source = Source(0);
    /// Of domains that are no components of the manifest.
    pub const CHILDREN: Source = Source(1);
    /// Component number `n` of the manifest.
    pub fn component(n: usize) -> Source {
        Source((2 + n).min(SOURCES - 1) as u8)
    }
}
/// What lines there are, the oldest first: whose, and how many bytes; and how many bytes each has of all.
pub struct Lines {
    of: [(Source, u16); LINES],
    count: usize,
    held: [u16; SOURCES],
}
impl Lines {
    pub const NONE: Lines = Lines { of: [(Source::INIT, 0); LINES], count: 0, held: [0; SOURCES] };

    fn add(&mut self, source: Source, bytes: usize) {
        self.of[self.count] = (source, bytes as u16);
        self.count += 1;
        self.held[source.0 as usize] += bytes as u16;
    }
    /// Takes the line out that is to go: where it begins in the text, and its bytes.
    fn remove(&mut self) -> (usize, usize) {
        let most = (0..SOURCES).max_by_key(|&n| self.held[n]).unwrap_or(0);
        let lines = &self.of[..self.count];
        let n = lines.iter().position(|(source, _)| source.0 as usize == most).unwrap_or(0);
        let start = lines[..n].iter().map(|(_, bytes)| *bytes as usize).sum();
        let (source, bytes) = lines[n];
        self.held[source.0 as usize] -= bytes;
        self.of.copy_within(n + 1..self.count, n);
        self.count -= 1;
        (start, bytes as usize)
    }
}

/// Writes to the log's bytes, header first.
pub struct Log<'a> {
    bytes: &'a mut [u8],
    lines: &'a mut Lines,
}
impl<'a> Log<'a> {
    /// `bytes` are the whole log, aligned to 8; `lines` are those that it has.
    pub fn new(bytes: &'a mut [u8], lines: &'a mut Lines) -> Log<'a> {
        Log { bytes, lines }
    }
    pub fn header(&mut self) -> &mut Header {
        // SAFETY: the log is longer than its header and aligned; the header is plain words.
        unsafe { &mut *(self.bytes.as_mut_ptr() as *mut Header) }
    }
    /// What was said.
    pub fn text(&mut self) -> &[u8] {
        let end = HEADER + self.header().length as usize;
        self.bytes.get(HEADER..end).unwrap_or(&[])
    }
    /// Adds a line of `source`, in the place of others where there is no room. One that is longer than the log is left out.
    pub fn line(&mut self, source: Source, line: &str) {
        let bytes = line.len() + 1;
        if HEADER + bytes > self.bytes.len() {
            return;
        }
        while self.lines.count == LINES || HEADER + self.header().length as usize + bytes > self.bytes.len() {
            self.remove_one();
        }
        let at = HEADER + self.header().length as usize;
        self.bytes[at..at + bytes - 1].copy_from_slice(line.as_bytes());
        self.bytes[at + bytes - 1] = b'\n';
        self.header().length += bytes as u64;
        self.lines.add(source, bytes);
    }
    fn remove_one(&mut self) {
        let end = HEADER + self.header().length as usize;
        let (start, bytes) = self.lines.remove();
        self.bytes.copy_within(HEADER + start + bytes..end, HEADER + start);
        self.header().length -= bytes as u64;
    }
}

/// A line that component `name` says of itself: one line, whatever `text` is.
pub fn said(name: &str, text: &[u8]) -> Line {
    let mut plain = text.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { byte as char } else { '.' });
    let mut line = Line::of(format_args!("pebble: {name}: "));
    // What is too long is cut.
    let _ = plain.try_for_each(|character| line.write_char(character));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_a_component_says_stays_one_line() {
        assert_eq!(said("clock", b"one\ntwo\x1b[2J").text(), "pebble: clock: one.two.[2J");
    }
    /// A log with room for so many bytes of text, of which `body` makes something.
    fn with_log<T>(room: usize, body: impl FnOnce(&mut Log) -> T) -> T {
        let mut words = vec![0u64; (HEADER + room).div_ceil(8)];
        // SAFETY: the bytes of the words.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr() as *mut u8, HEADER + room) };
        let mut lines = Lines::NONE;
        fallible::failing::with_only(0, || body(&mut Log::new(bytes, &mut lines)))
    }
    fn text(log: &mut Log) -> String {
        fallible::failing::spared(|| String::from_utf8(log.text().to_vec()).unwrap())
    }
    #[test]
    fn lines_follow_each_other_and_the_oldest_goes_where_there_is_no_room() {
        with_log(8, |log| {
            ["one", "two"].iter().for_each(|line| log.line(Source::INIT, line));
            assert_eq!(text(log), "one\ntwo\n");
            log.line(Source::INIT, "this line is longer than all there is");
            assert_eq!(text(log), "one\ntwo\n");
            log.line(Source::INIT, "3");
            assert_eq!(text(log), "two\n3\n");
        });
    }
    #[test]
    fn whoever_fails_again_and_again_takes_room_from_nobody() {
        let [honest, loud] = [3, 4].map(Source::component);
        with_log(1000, |log| {
            log.line(honest, "honest: before");
            for n in 0..5000 {
                let line = Line::of(format_args!("loud: {n}"));
                log.line([loud, Source::CHILDREN][n % 2], line.text());
                if n == 2500 {
                    log.line(honest, "honest: meanwhile");
                }
            }
            let said = text(log);
            assert!(said.starts_with("honest: before\nhonest: meanwhile\nloud: "), "{said}");
            assert!(said.ends_with("loud: 4998\nloud: 4999\n") && said.len() > 950, "{said}");
        });
    }
    #[test]
    fn more_short_lines_than_are_counted_have_room_too() {
        with_log(4 * LINES, |log| {
            (0..2 * LINES).for_each(|n| log.line(Source::component(n), "x"));
            fallible::failing::spared(|| assert_eq!(text(log), "x\n".repeat(LINES)));
        });
    }
}
