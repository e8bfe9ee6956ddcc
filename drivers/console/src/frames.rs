//! Input and output in the form of [`abi::console`], free of hardware.

use abi::console::{Credit, END, ERROR, ESCAPE, OUTPUT};
use alloc::collections::VecDeque;
use fallible::TryPush;

/// The part of `bytes` before the first escape.
fn plain(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == ESCAPE);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// Input that programs send: never edited, never lost.
pub struct Stream {
    credit: Credit,
    bytes: VecDeque<u8>,
    /// The last byte was `ESCAPE`.
    escaped: bool,
    ended: bool,
    /// Bytes taken that the host has not been told of.
    taken: usize,
}
impl Stream {
    pub const fn new(credit: Credit) -> Stream {
        Stream { credit, bytes: VecDeque::new(), escaped: false, ended: false, taken: 0 }
    }
    /// Makes room for all that the host may send before it is told that some was taken: from here on no byte is lost for want of memory.
    /// `ENOMEM`.
    pub fn prepare(&mut self) -> Result<(), abi::Error> {
        self.bytes.room_for(self.credit.room - self.bytes.len().min(self.credit.room))
    }
    /// Bytes arrived. `closed` is told of `OUTPUT` or `ERROR`: nobody takes that any more.
    pub fn receive(&mut self, mut bytes: &[u8], mut closed: impl FnMut(u8)) {
        while let Some(&first) = bytes.first() {
            let count = if core::mem::take(&mut self.escaped) {
                match first {
                    END => self.ended = true,
                    OUTPUT | ERROR => closed(first),
                    _ => self.keep(&bytes[..1]),
                }
                1
            } else if first == ESCAPE {
                self.escaped = true;
                1
            } else {
                let plain = plain(bytes);
                self.keep(plain);
                plain.len()
            };
            bytes = &bytes[count..];
        }
    }
    /// A host that sends more than there is room for breaks its word, and loses what it sends.
    fn keep(&mut self, bytes: &[u8]) {
        let room = self.credit.room.saturating_sub(self.bytes.len());
        let kept = &bytes[..bytes.len().min(room)];
        if self.bytes.room_for(kept.len()).is_ok() {
            self.bytes.extend(kept);
        }
    }
    /// Takes what is there. `None`: nothing is; `Some(0)`: the input has ended, and stays so.
    pub fn take(&mut self, out: &mut [u8]) -> Option<usize> {
        let count = out.len().min(self.bytes.len());
        let (front, back) = self.bytes.as_slices();
        let here = count.min(front.len());
        out[..here].copy_from_slice(&front[..here]);
        out[here..count].copy_from_slice(&back[..count - here]);
        self.bytes.drain(..count);
        self.taken += count;
        (count > 0 || self.ended).then_some(count)
    }
    /// How many times the host is to be told that a step of bytes was taken, each only once.
    pub fn owed(&mut self) -> usize {
        let steps = self.taken / self.credit.step;
        self.taken %= self.credit.step;
        steps
    }
    /// The host could not be told `steps` times.
    pub fn owe(&mut self, steps: usize) {
        self.taken += steps * self.credit.step;
    }
}

/// Makes output ready for the transmitter, a piece after the other.
pub struct Framing {
    on: bool,
    /// Where the bytes that were sent last belong.
    stream: u8,
}
impl Framing {
    pub const fn new(on: bool) -> Framing {
        Framing { on, stream: OUTPUT }
    }
    /// Puts the next piece of `bytes` for `stream` into `piece`, of 4 bytes at least; its length, and how many of `bytes` it stands for.
    /// It must be sent: the next one relies on it.
    pub fn next(&mut self, stream: u8, bytes: &[u8], piece: &mut [u8]) -> (usize, usize) {
        let (mut length, mut done) = (0, 0);
        if self.on && self.stream != stream {
            self.stream = stream;
            piece[..2].copy_from_slice(&[ESCAPE, stream]);
            length = 2;
        }
        while done < bytes.len() && length < piece.len() {
            let some = &bytes[done..][..(bytes.len() - done).min(piece.len() - length)];
            let plain = if self.on { plain(some) } else { some };
            piece[length..][..plain.len()].copy_from_slice(plain);
            (length, done) = (length + plain.len(), done + plain.len());
            if plain.len() < some.len() {
                // An escape, which is never parted.
                let Some(place) = piece.get_mut(length..length + 2) else { break };
                place.fill(ESCAPE);
                (length, done) = (length + 2, done + 1);
            }
        }
        (length, done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::console::SERIAL;
    const ROOM: usize = SERIAL.room;
    const STEP: usize = SERIAL.step;
    fn stream(bytes: &[u8]) -> Stream {
        let mut stream = Stream::new(SERIAL);
        stream.receive(bytes, |_| panic!("nothing was closed"));
        // However it is cut.
        let mut other = Stream::new(SERIAL);
        bytes.iter().for_each(|&byte| other.receive(&[byte], |_| panic!("nothing was closed")));
        assert_eq!((&stream.bytes, stream.escaped, stream.ended), (&other.bytes, other.escaped, other.ended));
        stream
    }
    fn sent(framing: &mut Framing, kind: u8, mut bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let mut piece = [0; 4];
            let (length, done) = framing.next(kind, bytes, &mut piece);
            all.extend_from_slice(&piece[..length]);
            bytes = &bytes[done..];
        }
        all
    }
    #[test]
    fn what_the_host_may_send_has_room_when_no_memory_is_left() {
        let mut stream = Stream::new(SERIAL);
        stream.prepare().unwrap();
        let bytes = [b'x'; ROOM];
        fallible::failing::with_only(0, || stream.receive(&bytes, |_| {}));
        assert_eq!(stream.bytes.len(), ROOM);
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
        let (mut s, mut closed) = (stream(b"\x10"), Vec::new());
        s.receive(&[OUTPUT, b'a', ESCAPE, ERROR], |stream| closed.push(stream));
        assert_eq!((closed, s.take(&mut [0; 8])), (vec![OUTPUT, ERROR], Some(1)));
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
        assert_eq!(Framing::new(true).next(OUTPUT, b"abc\x10d", &mut [0; 4]), (3, 3));
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
