//! What a client gets to read where its file is refused.

use abi::section::text;
use core::fmt::{Arguments, Write};

/// A text of fewer than `N` bytes, with zeros behind it.
pub struct Said<const N: usize>([u8; N], usize);
impl<const N: usize> Said<N> {
    /// As much of it as has room, in whole characters.
    pub fn of(text: Arguments) -> Said<N> {
        let mut said = Said([0; N], 0);
        // It never fails.
        let _ = said.write_fmt(text);
        said
    }
    pub fn bytes(&self) -> &[u8; N] {
        &self.0
    }
    pub fn text(&self) -> &str {
        text(&self.0)
    }
}
impl<const N: usize> Write for Said<N> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // The last byte stays 0.
        let room = &mut self.0[self.1..N - 1];
        let count = text.floor_char_boundary(room.len());
        room[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.1 += count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_left_out_in_whole_characters() {
        assert_eq!(Said::<8>::of(format_args!("{} {}", "a", 12)).bytes(), b"a 12\0\0\0\0");
        assert_eq!(Said::<5>::of(format_args!("abcdef")).bytes(), b"abcd\0");
        assert_eq!(Said::<5>::of(format_args!("abcä")).text(), "abc");
    }
}
