//! What keys mean: bytes of a terminal, as vte takes them apart, to what the line's editor does.

use vte::{Params, Parser, Perform};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Character(char),
    Enter,
    Tab,
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
    Up,
    Down,
    Erase,
    Delete,
    EraseWord,
    EraseToStart,
    EraseToEnd,
    /// What was erased last comes again.
    Yank,
    /// Exchanges two characters.
    Transpose,
    Clear,
    Search,
    /// Ctrl-C: the line is given up.
    Cancel,
    /// Ctrl-D: the end of input on an empty line, else as Delete.
    EndOfInput,
    /// The terminal says that its cursor is in this column, from 1.
    Column(u16),
}

/// Reads keys byte by byte.
#[derive(Default)]
pub struct Keys {
    parser: Parser,
    state: State,
}
#[derive(Default)]
struct State {
    key: Option<Key>,
    /// `ESC O` came: the next character ends a key of the keypad.
    keypad: bool,
}
impl Keys {
    /// The key that `byte` completes.
    pub fn byte(&mut self, byte: u8) -> Option<Key> {
        self.parser.advance(&mut self.state, &[byte]);
        self.state.key.take()
    }
}
/// The key of a control sequence that ends with `last`.
fn sequence(last: char, parameters: [u16; 2]) -> Option<Key> {
    // xterm: the second parameter is 1 and a bit for each key that is held, Alt 2 and Ctrl 4.
    let word = parameters[1] > 1 && (parameters[1] - 1) & 6 != 0;
    Some(match (last, parameters[0]) {
        ('A', _) => Key::Up,
        ('B', _) => Key::Down,
        ('C', _) if word => Key::WordRight,
        ('C', _) => Key::Right,
        ('D', _) if word => Key::WordLeft,
        ('D', _) => Key::Left,
        ('H', _) | ('~', 1 | 7) => Key::Start,
        ('F', _) | ('~', 4 | 8) => Key::End,
        ('~', 3) => Key::Delete,
        ('R', 1..) if parameters[1] > 0 => Key::Column(parameters[1]),
        _ => return None,
    })
}
impl Perform for State {
    fn print(&mut self, character: char) {
        self.key = match character {
            _ if core::mem::take(&mut self.keypad) => sequence(character, [0; 2]),
            '\x7f' => Some(Key::Erase),
            _ => Some(Key::Character(character)),
        };
    }
    fn execute(&mut self, byte: u8) {
        self.keypad = false;
        self.key = Some(match byte {
            b'\r' | b'\n' => Key::Enter,
            b'\t' => Key::Tab,
            0x01 => Key::Start,
            0x02 => Key::Left,
            0x03 => Key::Cancel,
            0x04 => Key::EndOfInput,
            0x05 => Key::End,
            0x06 => Key::Right,
            0x08 => Key::Erase,
            0x0b => Key::EraseToEnd,
            0x0c => Key::Clear,
            0x0e => Key::Down,
            0x10 => Key::Up,
            0x12 => Key::Search,
            0x14 => Key::Transpose,
            0x15 => Key::EraseToStart,
            0x17 => Key::EraseWord,
            0x19 => Key::Yank,
            _ => return,
        });
    }
    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], _: bool, last: char) {
        if intermediates.is_empty() {
            let mut values = parameters.iter().map(|value| value.first().copied().unwrap_or(0));
            self.key = sequence(last, [values.next().unwrap_or(0), values.next().unwrap_or(0)]);
        }
    }
    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        match byte {
            b'O' => self.keypad = true,
            b'b' => self.key = Some(Key::WordLeft),
            b'f' => self.key = Some(Key::WordRight),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn last(bytes: &[u8]) -> Option<Key> {
        let mut keys = Keys::default();
        bytes.iter().map(|&b| keys.byte(b)).last().unwrap()
    }
    #[test]
    fn letters_of_every_language_pass() {
        assert_eq!(last(b"a"), Some(Key::Character('a')));
        assert_eq!(last("\u{e9}".as_bytes()), Some(Key::Character('\u{e9}')));
    }
    #[test]
    fn home_and_end_move_the_cursor() {
        assert!([&b"\x1b[H"[..], b"\x1bOH", b"\x1b[1~", b"\x01"].iter().all(|k| last(k) == Some(Key::Start)));
        assert!([&b"\x1b[F"[..], b"\x1bOF", b"\x1b[4~", b"\x05"].iter().all(|k| last(k) == Some(Key::End)));
    }
    #[test]
    fn arrows_with_control_go_by_words() {
        assert_eq!((last(b"\x1b[A"), last(b"\x1bOD")), (Some(Key::Up), Some(Key::Left)));
        assert_eq!((last(b"\x1b[1;5D"), last(b"\x1bf")), (Some(Key::WordLeft), Some(Key::WordRight)));
    }
    #[test]
    fn backspace_is_known_by_both_names() {
        assert_eq!((last(b"\x7f"), last(b"\x08")), (Some(Key::Erase), Some(Key::Erase)));
    }
    #[test]
    fn an_unknown_sequence_is_swallowed_as_a_whole() {
        assert_eq!(last(b"\x1b[15~"), None);
        assert_eq!(last(b"\x1b[15~x"), Some(Key::Character('x')));
    }
    #[test]
    fn the_cursors_place_is_read() {
        assert_eq!(last(b"\x1b[24;132R"), Some(Key::Column(132)));
    }
}
