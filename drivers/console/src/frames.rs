//! Input and output in the form of [`abi::console`], free of hardware.

use abi::console::{END, ERROR, ESCAPE, OUTPUT, ROOM, STEP};
use alloc::collections::VecDeque;
use fallible::TryPush;

/// Input that programs send: never edited, never lost.
#[derive(Default)]
pub struct Stream {
    bytes: VecDeque<u8>,
    /// The last byte was `ESCAPE`.
    escaped: bool,
    ended: bool,
    /// Bytes taken that the host has not been told of.
    taken: usize,
}
impl Stream {
    pub const fn new() -> Stream {
        Stream { bytes: VecDeque::new(), escaped: false, ended: false, taken: 0 }
    }
    /// A byte arrived. `OUTPUT` or `ERROR`: nobody takes that any more.
    pub fn receive(&mut self, byte: u8) -> Option<u8> {
        match (core::mem::take(&mut self.escaped), byte) {
            (false, ESCAPE) => self.escaped = true,
            (true, END) => self.ended = true,
            (true, OUTPUT | ERROR) => return Some(byte),
            // A host that sends more than there is room for breaks its word, and loses what it sends.
            _ if self.bytes.len() < ROOM => _ = self.bytes.try_push(byte),
            _ => {}
        }
        None
    }
    /// Takes what is there. `None`: nothing is; `Some(0)`: the input has ended, and stays so.
    pub fn take(&mut self, out: &mut [u8]) -> Option<usize> {
        let count = out.len().min(self.bytes.len());
        for (place, byte) in out.iter_mut().zip(self.bytes.drain(..count)) {
            *place = byte;
        }
        self.taken += count;
        (count > 0 || self.ended).then_some(count)
    }
    /// How many times the host is to be told that `STEP` bytes were taken, each only once.
    pub fn owed(&mut self) -> usize {
        let steps = self.taken / STEP;
        self.taken %= STEP;
        steps
    }
    /// The host could not be told `steps` times.
    pub fn owe(&mut self, steps: usize) {
        self.taken += steps * STEP;
    }
}

/// Makes output ready for the transmitter, a piece of at most `N` ≥ 2 bytes after the other.
pub struct Framing {
    on: bool,
    /// Where the bytes that were sent last belong.
    stream: u8,
}
impl Framing {
    pub const fn new(on: bool) -> Framing {
        Framing { on, stream: OUTPUT }
    }
    /// The next piece of `bytes` for `stream`, its length, and how many of `bytes` it stands for. It must be sent: the next one
    /// relies on it.
    pub fn next<const N: usize>(&mut self, stream: u8, bytes: &[u8]) -> ([u8; N], usize, usize) {
        let (mut piece, mut length, mut done) = ([0; N], 0, 0);
        if self.on && self.stream != stream {
            self.stream = stream;
            piece[..2].copy_from_slice(&[ESCAPE, stream]);
            length = 2;
        }
        for &byte in bytes {
            let twice = self.on && byte == ESCAPE;
            let end = length + 1 + twice as usize;
            let Some(place) = piece.get_mut(length..end) else { break };
            place.fill(byte);
            (length, done) = (end, done + 1);
        }
        (piece, length, done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn stream(bytes: &[u8]) -> Stream {
        let mut stream = Stream::default();
        assert!(bytes.iter().all(|&byte| stream.receive(byte).is_none()));
        stream
    }
    fn sent(framing: &mut Framing, kind: u8, mut bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let (piece, length, done) = framing.next::<3>(kind, bytes);
            all.extend_from_slice(&piece[..length]);
            bytes = &bytes[done..];
        }
        all
    }
    #[test]
    fn an_escape_twice_is_one_byte() {
        let mut out = [0; 8];
        assert_eq!((stream(b"a\x10\x10\x04b").take(&mut out), &out[..4]), (Some(4), &b"a\x10\x04b"[..]));
    }
    #[test]
    fn the_end_comes_after_what_was_sent_and_lasts() {
        let (mut s, mut out) = (stream(b"a\x10\x04"), [0; 8]);
        assert_eq!([s.take(&mut out), s.take(&mut out), s.take(&mut out)], [Some(1), Some(0), Some(0)]);
        assert_eq!(stream(b"").take(&mut out), None);
    }
    #[test]
    fn closed_output_is_told() {
        let mut s = stream(b"\x10");
        assert_eq!((s.receive(OUTPUT), s.take(&mut [0; 8])), (Some(OUTPUT), None));
    }
    #[test]
    fn each_step_is_owed_once() {
        let mut s = stream(&[b'x'; ROOM]);
        s.take(&mut [0; STEP - 1]);
        assert_eq!(s.owed(), 0);
        s.take(&mut [0; STEP + 2]);
        assert_eq!((s.owed(), s.owed()), (2, 0));
        s.owe(2);
        assert_eq!(s.owed(), 2);
    }
    #[test]
    fn what_there_is_no_room_for_is_lost() {
        assert_eq!(stream(&[b'x'; ROOM + 9]).take(&mut [0; 2 * ROOM]), Some(ROOM));
    }
    #[test]
    fn an_escape_is_never_parted() {
        assert_eq!(sent(&mut Framing::new(true), OUTPUT, b"ab\x10c"), b"ab\x10\x10c");
        assert_eq!(Framing::new(true).next::<3>(OUTPUT, b"ab\x10c").1, 2);
    }
    #[test]
    fn streams_are_told_apart_where_they_change() {
        let mut framing = Framing::new(true);
        assert_eq!(sent(&mut framing, ERROR, b"a"), b"\x10\x02a");
        assert_eq!(sent(&mut framing, ERROR, b"b"), b"b");
        assert_eq!(sent(&mut framing, OUTPUT, b"c"), b"\x10\x01c");
    }
    #[test]
    fn without_frames_bytes_are_as_they_are() {
        assert_eq!(sent(&mut Framing::new(false), ERROR, b"ab\x10c"), b"ab\x10c");
    }
}
