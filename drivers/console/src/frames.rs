//! Input and output in the form of [`abi::console`], free of hardware.

use abi::console::{BEGIN, DIGITS, END, ERROR, ESCAPE, Number, OUTPUT, digits};
use alloc::collections::VecDeque;
use fallible::TryPush;

/// What stands behind an escape: `what`, which has a number.
pub fn message(what: u8, number: u32) -> [u8; 1 + DIGITS] {
    let [a, b, c, d] = digits(number);
    [what, a, b, c, d]
}
/// The part of `bytes` before the first escape.
fn plain(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == ESCAPE);
    &bytes[..end.unwrap_or(bytes.len())]
}

/// Input that programs send: never edited, never lost.
pub struct Stream {
    room: usize,
    bytes: VecDeque<u8>,
    /// The last byte was `ESCAPE`.
    escaped: bool,
    /// The number behind `BEGIN`, of which some bytes have come.
    number: Option<Number>,
    beginning: Beginning,
    ended: bool,
    /// Bytes taken that the host has not been told of.
    taken: usize,
}
/// What comes before the host has heard of this driver was for one that has died, and comes again.
#[derive(Debug, PartialEq, Eq)]
enum Beginning {
    /// The host has not been told.
    Untold,
    /// It has, and says this number before it begins.
    Told(u32),
    Begun,
}
impl Stream {
    pub const fn new(room: usize) -> Stream {
        Stream {
            room,
            bytes: VecDeque::new(),
            escaped: false,
            number: None,
            beginning: Beginning::Untold,
            ended: false,
            taken: 0,
        }
    }
    /// Makes room for all that the host may send before it is told that some was taken: from here on no byte is lost for want of memory.
    /// `ENOMEM`. The host is to be told to begin with `number`.
    pub fn prepare(&mut self, number: u32) -> Result<(), abi::Error> {
        self.bytes.room_for(self.room - self.bytes.len().min(self.room))?;
        self.beginning = Beginning::Told(number);
        Ok(())
    }
    /// Bytes arrived. `closed` is told of `OUTPUT` or `ERROR`: nobody takes that any more.
    pub fn receive(&mut self, mut bytes: &[u8], mut closed: impl FnMut(u8)) {
        while let Some(&first) = bytes.first() {
            let begun = self.beginning == Beginning::Begun;
            let count = if let Some(number) = &mut self.number {
                match number.next(first) {
                    Ok(None) => 1,
                    Ok(Some(number)) => {
                        self.number = None;
                        if self.beginning == Beginning::Told(number) {
                            self.beginning = Beginning::Begun;
                        }
                        1
                    }
                    // The rest was for who has died.
                    Err(_) => {
                        self.number = None;
                        0
                    }
                }
            } else if core::mem::take(&mut self.escaped) {
                match first {
                    BEGIN => self.number = Some(Number::default()),
                    _ if !begun => {}
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
                if begun {
                    self.keep(plain);
                }
                plain.len()
            };
            bytes = &bytes[count..];
        }
    }
    /// A host that sends more than there is room for breaks its word, and loses what it sends.
    fn keep(&mut self, bytes: &[u8]) {
        let room = self.room.saturating_sub(self.bytes.len());
        let kept = &bytes[..bytes.len().min(room)];
        if self.bytes.room_for(kept.len()).is_ok() {
            self.bytes.extend(kept);
        }
    }
    /// Whether there is something to be taken, or the end.
    pub fn is_ready(&self) -> bool {
        self.ended || !self.bytes.is_empty()
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
    /// How many bytes the host is to be told that were taken, each only once.
    pub fn owed(&mut self) -> usize {
        core::mem::take(&mut self.taken)
    }
    /// The host could not be told of so many `bytes`.
    pub fn owe(&mut self, bytes: usize) {
        self.taken += bytes;
    }
}

/// Makes output ready for the transmitter, a piece after the other.
pub struct Framing {
    on: bool,
    /// Where the bytes that were sent last belong; not known at first, as another driver may have sent them.
    stream: Option<u8>,
}
impl Framing {
    pub const fn new(on: bool) -> Framing {
        Framing { on, stream: None }
    }
    /// Puts the next piece of `bytes` for `stream` into `piece`, of 4 bytes at least; its length, and how many of `bytes` it stands for.
    /// It must be sent: the next one relies on it.
    pub fn next(&mut self, stream: u8, bytes: &[u8], piece: &mut [u8]) -> (usize, usize) {
        let (mut length, mut done) = (0, 0);
        if self.on && self.stream != Some(stream) {
            self.stream = Some(stream);
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
    use abi::console::SERIAL_ROOM as ROOM;
    const NUMBER: u32 = 0x0a5b_6c7d;

    fn begin(number: u32) -> Vec<u8> {
        [&[ESCAPE, BEGIN][..], &digits(number)].concat()
    }
    fn begun() -> Stream {
        let mut stream = Stream::new(ROOM);
        stream.prepare(NUMBER).unwrap();
        stream.receive(&begin(NUMBER), |_| panic!("nothing was closed"));
        stream
    }
    fn stream(bytes: &[u8]) -> Stream {
        let mut stream = begun();
        stream.receive(bytes, |_| panic!("nothing was closed"));
        // However it is cut.
        let mut other = begun();
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
        let mut stream = begun();
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
    /// Whatever was cut off where the driver before died, in the middle of an escape or of a number.
    #[test]
    fn what_was_sent_to_one_that_has_died_is_left_out() {
        let old = [b"old\x10\x10\x10\x04".to_vec(), begin(NUMBER - 1), b"more\x10\x01".to_vec()].concat();
        for from in 0..=old.len() {
            for to in from..=old.len() {
                let mut s = Stream::new(ROOM);
                s.prepare(NUMBER).unwrap();
                // The host sends a byte that may end an escape before it begins.
                let sent = [&old[from..to], &[0], &begin(NUMBER)[..], b"new"].concat();
                s.receive(&sent, |_| panic!("nothing was closed"));
                let mut out = [0; 8];
                assert_eq!((s.take(&mut out), &out[..3], s.ended), (Some(3), &b"new"[..], false), "{from}..{to}");
            }
        }
    }
    #[test]
    fn what_was_taken_is_owed_once() {
        let mut s = stream(&[b'x'; ROOM]);
        s.take(&mut [0; 7]);
        s.take(&mut [0; 2]);
        assert_eq!((s.owed(), s.owed()), (9, 0));
        s.owe(9);
        assert_eq!(s.owed(), 9);
    }
    #[test]
    fn what_there_is_no_room_for_is_lost() {
        assert_eq!(stream(&[b'x'; ROOM + 9]).take(&mut [0; 2 * ROOM]), Some(ROOM));
    }
    #[test]
    fn an_escape_is_never_parted() {
        assert_eq!(sent(&mut Framing::new(true), OUTPUT, b"ab\x10c"), b"\x10\x01ab\x10\x10c");
        assert_eq!(Framing { on: true, stream: Some(OUTPUT) }.next(OUTPUT, b"abc\x10d", &mut [0; 4]), (3, 3));
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
