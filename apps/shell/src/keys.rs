//! What keys mean: names the editing keys that the line editor's library does not know, and passes all others on.

/// A key, or a byte of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// For the library.
    Bytes(&'static [u8]),
    Byte(u8),
    /// The cursor to the line's start, or its end.
    Start,
    End,
    /// The line is given up.
    Erase,
    Enter,
    /// Nothing yet, or nothing at all.
    None,
}

/// Reads keys byte by byte.
#[derive(Default)]
pub struct Keys {
    /// Bytes of an escape sequence so far (ECMA-48, section 5.4): 0: none, 1: `ESC`, 2: `ESC [` or `ESC O`, 3: its
    /// parameters.
    escape: u8,
    /// The sequence's parameter, if it is one byte.
    parameter: u8,
}
impl Keys {
    pub fn byte(&mut self, byte: u8) -> Key {
        match self.escape {
            0 => self.plain(byte),
            1 => {
                self.escape = if matches!(byte, b'[' | b'O') { 2 } else { 0 };
                self.parameter = 0;
                Key::None
            }
            _ if matches!(byte, 0x40..=0x7e) => {
                self.escape = 0;
                self.sequence(byte)
            }
            _ => {
                self.parameter = if self.escape == 2 { byte } else { 0 };
                self.escape = 3;
                Key::None
            }
        }
    }
    fn plain(&mut self, byte: u8) -> Key {
        match byte {
            0x1b => {
                self.escape = 1;
                Key::None
            }
            b'\r' | b'\n' => Key::Enter,
            // Ctrl-A, Ctrl-E; Ctrl-C and Ctrl-U; Ctrl-B, F, N, P; Delete as backspace
            0x01 => Key::Start,
            0x05 => Key::End,
            0x03 | 0x15 => Key::Erase,
            0x02 => Key::Bytes(b"\x1b[D"),
            0x06 => Key::Bytes(b"\x1b[C"),
            0x0e => Key::Bytes(b"\x1b[B"),
            0x10 => Key::Bytes(b"\x1b[A"),
            0x7f => Key::Byte(0x08),
            _ => Key::Byte(byte),
        }
    }
    /// The key of the sequence that ends with `last`.
    fn sequence(&self, last: u8) -> Key {
        match (self.parameter, last) {
            (_, b'A') => Key::Bytes(b"\x1b[A"),
            (_, b'B') => Key::Bytes(b"\x1b[B"),
            (_, b'C') => Key::Bytes(b"\x1b[C"),
            (_, b'D') => Key::Bytes(b"\x1b[D"),
            (_, b'H') | (b'1' | b'7', b'~') => Key::Start,
            (_, b'F') | (b'4' | b'8', b'~') => Key::End,
            _ => Key::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn last(bytes: &[u8]) -> Key {
        let mut keys = Keys::default();
        bytes.iter().map(|&b| keys.byte(b)).last().unwrap()
    }
    #[test]
    fn letters_pass() {
        assert_eq!(last(b"a"), Key::Byte(b'a'));
    }
    #[test]
    fn home_and_end_move_the_cursor() {
        assert!([&b"\x1b[H"[..], b"\x1bOH", b"\x1b[1~", b"\x01"].iter().all(|k| last(k) == Key::Start));
        assert!([&b"\x1b[F"[..], b"\x1bOF", b"\x1b[4~", b"\x05"].iter().all(|k| last(k) == Key::End));
    }
    #[test]
    fn arrows_pass_with_and_without_modifiers() {
        assert_eq!(last(b"\x1b[A"), Key::Bytes(b"\x1b[A"));
        assert_eq!(last(b"\x1b[1;5D"), Key::Bytes(b"\x1b[D"));
    }
    #[test]
    fn an_unknown_sequence_is_swallowed_as_a_whole() {
        assert_eq!(last(b"\x1b[15~"), Key::None);
        assert_eq!(last(b"\x1b[15~x"), Key::Byte(b'x'));
    }
    #[test]
    fn control_c_gives_the_line_up() {
        assert_eq!(last(b"\x03"), Key::Erase);
    }
}
