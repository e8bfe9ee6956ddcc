//! Text that came from a disk or from the machine, on its way to a terminal: whoever made it may have put into it what a terminal does something at.
//!
//! A terminal's input and output, which a running system's console and a program's own streams are, go through as they are.

use std::fmt::{Display, Formatter, Result, Write};

/// Such text. It can only be written with all that is not printable made visible, as Rust writes it in strings.
pub struct Foreign<'a> {
    text: &'a str,
    /// Lines end, and have tabs.
    lines: bool,
}
impl<'a> Foreign<'a> {
    /// A name, or a part of a line.
    pub fn name(text: &'a str) -> Foreign<'a> {
        Foreign { text, lines: false }
    }
    /// Whole lines.
    pub fn lines(text: &'a str) -> Foreign<'a> {
        Foreign { text, lines: true }
    }
}
/// Whether a terminal shows it, and nothing else, and in its place: the others are controls, and Unicode's marks and embeddings of direction.
fn is_shown(c: char) -> bool {
    let directs = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !directs
}
impl Display for Foreign<'_> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let mut all = self.text.chars().peekable();
        while let Some(c) = all.next() {
            let ends = matches!(c, '\n' | '\t') || c == '\r' && all.peek() == Some(&'\n');
            if is_shown(c) || self.lines && ends { f.write_char(c)? } else { write!(f, "{}", c.escape_unicode())? }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_made_visible() {
        let said = |text| Foreign::name(text).to_string();
        assert_eq!(said("a\x1b]0;title\x07b"), "a\\u{1b}]0;title\\u{7}b");
        assert_eq!(said("\u{9b}2J\r\n\t\x7f\u{202e}"), "\\u{9b}2J\\u{d}\\u{a}\\u{9}\\u{7f}\\u{202e}");
    }
    #[test]
    fn what_is_printable_is_as_it_was() {
        let text = "Größe (1) \\ \"x\" 你好 →";
        assert_eq!(Foreign::name(text).to_string(), text);
    }
    #[test]
    fn lines_stay_lines() {
        assert_eq!(Foreign::lines("a\tb\n\x1b[2J\rc\r\n").to_string(), "a\tb\n\\u{1b}[2J\\u{d}c\r\n");
    }
}
