//! Lines out of pieces of bytes, counting, and the look of a dump.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Puts lines together out of pieces, in whatever places those end.
#[derive(Default)]
pub struct Lines(Vec<u8>);
impl Lines {
    /// Takes a piece; `line` gets each line that is finished, without its end. It returns whether to go on.
    pub fn piece(&mut self, mut piece: &[u8], mut line: impl FnMut(&[u8]) -> bool) -> bool {
        while let Some(end) = piece.iter().position(|&byte| byte == b'\n') {
            let goes_on = if self.0.is_empty() {
                line(&piece[..end])
            } else {
                self.0.extend_from_slice(&piece[..end]);
                line(&core::mem::take(&mut self.0))
            };
            if !goes_on {
                return false;
            }
            piece = &piece[end + 1..];
        }
        self.0.extend_from_slice(piece);
        true
    }
    /// The last line, if it had no end.
    pub fn rest(self) -> Option<Vec<u8>> {
        Some(self.0).filter(|rest| !rest.is_empty())
    }
}
/// The last lines of many.
pub struct Last {
    lines: VecDeque<Vec<u8>>,
    most: usize,
}
impl Last {
    pub fn new(most: usize) -> Last {
        Last { lines: VecDeque::new(), most }
    }
    pub fn add(&mut self, line: &[u8]) {
        self.lines.push_back(line.into());
        if self.lines.len() > self.most {
            self.lines.pop_front();
        }
    }
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(Vec::as_slice)
    }
}
/// Lines, words and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub lines: usize,
    pub words: usize,
    pub bytes: usize,
    in_word: bool,
}
impl Count {
    pub fn piece(&mut self, piece: &[u8]) {
        self.bytes += piece.len();
        for &byte in piece {
            self.lines += usize::from(byte == b'\n');
            let in_word = !byte.is_ascii_whitespace();
            self.words += usize::from(in_word && !self.in_word);
            self.in_word = in_word;
        }
    }
    /// Both together.
    pub fn and(self, other: Count) -> Count {
        let Count { lines, words, bytes, .. } = other;
        Count { lines: self.lines + lines, words: self.words + words, bytes: self.bytes + bytes, in_word: false }
    }
}
/// A line of a dump: where, at most sixteen bytes, and the same as text.
pub fn dumped(at: usize, bytes: &[u8]) -> String {
    let mut line = format!("{at:08x}  ");
    for n in 0..16 {
        line += &bytes.get(n).map_or_else(|| "   ".into(), |byte| format!("{byte:02x} "));
        if n == 7 {
            line.push(' ');
        }
    }
    line.push_str(" |");
    line.extend(bytes.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { byte as char } else { '.' }));
    line.push('|');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn lines_are_whole_wherever_pieces_end() {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in ["a", "b\nc\n", "", "\nd"] {
            lines.piece(piece.as_bytes(), |line| {
                found.push(line.to_vec());
                true
            });
        }
        assert_eq!(found, [b"ab".to_vec(), b"c".to_vec(), vec![]]);
        assert_eq!(lines.rest(), Some(b"d".to_vec()));
    }
    #[test]
    fn who_has_enough_gets_no_more() {
        let mut count = 0;
        let goes_on = Lines::default().piece(b"a\nb\nc\n", |_| {
            count += 1;
            count < 2
        });
        assert_eq!((goes_on, count), (false, 2));
    }
    #[test]
    fn words_are_counted_over_pieces() {
        let mut count = Count::default();
        [&b"one tw"[..], b"o\n three"].iter().for_each(|piece| count.piece(piece));
        assert_eq!((count.lines, count.words, count.bytes), (1, 3, 14));
    }
    #[test]
    fn the_last_lines_are_kept() {
        let mut last = Last::new(2);
        [b"a", b"b", b"c"].iter().for_each(|line| last.add(*line));
        assert_eq!(last.lines().collect::<Vec<_>>(), [b"b", b"c"]);
    }
    #[test]
    fn a_dump_has_text_beside_numbers() {
        let line = dumped(16, b"ab\n");
        assert!(line.starts_with("00000010  61 62 0a ") && line.ends_with(" |ab.|"), "{line}");
    }
}
