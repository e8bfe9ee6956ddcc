//! A line of text in a buffer of a fixed size: what is said when something goes wrong must not need memory.

use core::fmt;

/// Bytes of a line; what is longer is cut.
const LONGEST: usize = 320;

#[derive(Clone, Copy)]
pub struct Line {
    bytes: [u8; LONGEST],
    length: usize,
}
impl Line {
    pub const EMPTY: Line = Line { bytes: [0; LONGEST], length: 0 };
    /// What `text` comes to: `Line::of(format_args!("{name} has ended"))`.
    pub fn of(text: fmt::Arguments) -> Line {
        let mut line = Line::EMPTY;
        // Cut where it is too long.
        let _ = fmt::write(&mut line, text);
        line
    }
    pub fn text(&self) -> &str {
        // Whole characters only were put there.
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or("")
    }
}
impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let fits = text.floor_char_boundary(LONGEST - self.length);
        self.bytes[self.length..][..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        if fits == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_was_written() {
        assert_eq!(Line::of(format_args!("{} and {}", 1, "two")).text(), "1 and two");
    }
    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        let long = "\u{e9}".repeat(LONGEST);
        let line = Line::of(format_args!("x{long}"));
        assert_eq!((line.text().len(), line.text().starts_with("x\u{e9}")), (LONGEST - 1, true));
    }
    #[test]
    fn a_line_needs_no_memory() {
        fallible::failing::with_only(0, || assert_eq!(Line::of(format_args!("{:#x}", 255)).text(), "0xff"));
    }
}
