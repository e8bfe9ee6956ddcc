//! The system log in RAM that the host reads.

use crate::line::Line;
use abi::log::{HEADER, Header};
use core::fmt::Write;

/// Writes to the log's bytes, header first.
pub struct Log<'a> {
    bytes: &'a mut [u8],
}
impl<'a> Log<'a> {
    /// `bytes` are the whole log, aligned to 8.
    pub fn new(bytes: &'a mut [u8]) -> Log<'a> {
        Log { bytes }
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
    /// Adds a line; what does not fit is left out as a whole.
    pub fn line(&mut self, line: &str) {
        let at = HEADER + self.header().length as usize;
        let end = at + line.len() + 1;
        if end <= self.bytes.len() {
            self.bytes[at..end - 1].copy_from_slice(line.as_bytes());
            self.bytes[end - 1] = b'\n';
            self.header().length += line.len() as u64 + 1;
        }
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
    #[test]
    fn lines_follow_each_other_and_a_full_log_stays_whole() {
        let mut words = [0u64; 8];
        // SAFETY: the bytes of the words.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr() as *mut u8, 64) };
        let mut log = Log::new(bytes);
        log.line("one");
        log.line("two");
        log.line("this line has no room any more");
        assert_eq!(log.header().length, 8);
        assert_eq!(&log.bytes[HEADER..HEADER + 8], b"one\ntwo\n");
    }
}
