//! The guest's console at this end of its serial port, or of the port of a virtio console: output and errors told apart, input sent only where there is room for
//! it, in the form of [`abi::console`].

use abi::console::{BEGIN, Credit, END, ERROR, ESCAPE, INTERRUPTED, OUTPUT, TAKEN};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// The nucleus's first output: what comes before it is the firmware's.
pub const MARK: u8 = 0x1e;

/// A descriptor of ours, written to whether it blocks or not: where it is the terminal that QEMU reads, QEMU has made both
/// answer at once, and a terminal that takes its time would lose what it has no room for.
struct Descriptor(RawFd);
impl Write for Descriptor {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            // SAFETY: the bytes are there.
            let count = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
            if count >= 0 {
                return Ok(count as usize);
            }
            let error = std::io::Error::last_os_error();
            if error.kind() != ErrorKind::WouldBlock {
                return Err(error);
            }
            let mut room = libc::pollfd { fd: self.0, events: libc::POLLOUT, revents: 0 };
            // SAFETY: one descriptor.
            unsafe { libc::poll(&mut room, 1, -1) };
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a console said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Standard output, and standard error, where they were kept.
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    /// What came before the mark, if the mark never came.
    pub firmware: Vec<u8>,
    /// Ctrl-C was typed, and nobody took it.
    pub interrupted: bool,
}

/// What is to be done about a piece of the serial port's output.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes of `OUTPUT`, or of `ERROR`.
    Bytes(u8, &'a [u8]),
    /// `TAKEN`, `BEGIN` or `INTERRUPTED`.
    Told(u8),
}

/// Reads a port's output, without what precedes the mark.
pub struct Decoder {
    framed: bool,
    marked: bool,
    escaped: bool,
    /// Where bytes of data belong.
    stream: u8,
    firmware: Vec<u8>,
}
impl Decoder {
    /// `marked`: there is no mark, and nothing before it.
    pub fn new(framed: bool, marked: bool) -> Decoder {
        Decoder { framed, marked, escaped: false, stream: OUTPUT, firmware: Vec::new() }
    }
    pub fn decode(&mut self, mut bytes: &[u8], mut each: impl FnMut(Piece)) {
        if !self.marked {
            let Some(at) = bytes.iter().position(|&b| b == MARK) else {
                self.firmware.extend_from_slice(bytes);
                return;
            };
            self.marked = true;
            self.firmware.clear();
            bytes = &bytes[at + 1..];
        }
        while let Some(&first) = bytes.first() {
            if self.escaped {
                self.escaped = false;
                match first {
                    OUTPUT | ERROR => self.stream = first,
                    TAKEN | BEGIN | INTERRUPTED => each(Piece::Told(first)),
                    _ => each(Piece::Bytes(self.stream, &bytes[..1])),
                }
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|&b| self.framed && b == ESCAPE).unwrap_or(bytes.len());
            if end > 0 {
                each(Piece::Bytes(self.stream, &bytes[..end]));
            }
            self.escaped = end < bytes.len();
            bytes = &bytes[(end + 1).min(bytes.len())..];
        }
    }
}

/// The input of a console: a pipe to the machine, and what there is room for at its other end.
pub struct Input {
    pipe: Mutex<Box<dyn Write + Send>>,
    credit: Credit,
    room: Mutex<usize>,
    more: Condvar,
}
impl Input {
    pub fn new(pipe: impl Write + Send + 'static, credit: Credit) -> Arc<Input> {
        Arc::new(Input { pipe: Mutex::new(Box::new(pipe)), credit, room: Mutex::new(0), more: Condvar::new() })
    }
    fn send(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.pipe.lock().unwrap_or_else(|e| e.into_inner()).write_all(bytes)
    }
    fn told(&self, what: u8) {
        let mut room = self.room.lock().unwrap_or_else(|e| e.into_inner());
        let Credit { room: most, step } = self.credit;
        *room = if what == BEGIN { most } else { (*room + step).min(most) };
        self.more.notify_one();
    }
    /// Waits until there is room, and takes all of it.
    fn room(&self) -> usize {
        let room = self.room.lock().unwrap_or_else(|e| e.into_inner());
        let mut room = self.more.wait_while(room, |room| *room == 0).unwrap_or_else(|e| e.into_inner());
        std::mem::take(&mut room)
    }
    fn give_back(&self, left: usize) {
        *self.room.lock().unwrap_or_else(|e| e.into_inner()) += left;
    }
    /// Passes all of `from` on, then its end.
    pub fn feed(&self, mut from: impl Read) {
        let most = self.credit.room;
        let mut buffer = vec![0; most];
        let mut framed = Vec::with_capacity(2 * most);
        loop {
            let room = self.room();
            let count = from.read(&mut buffer[..room.min(most)]).unwrap_or(0);
            self.give_back(room - count);
            framed.clear();
            for piece in buffer[..count].split_inclusive(|&byte| byte == ESCAPE) {
                framed.extend_from_slice(piece);
                framed.extend(piece.last().filter(|&&byte| byte == ESCAPE));
            }
            if count == 0 {
                framed.extend_from_slice(&[ESCAPE, END]);
            }
            // The machine is gone where it takes no more.
            if self.send(&framed).is_err() || count == 0 {
                return;
            }
        }
    }
}

/// Where the streams of a console go.
struct Sinks {
    /// By the stream's number less one; none: nobody takes it any more.
    sinks: [Option<Descriptor>; 2],
}
impl Sinks {
    /// Writes; false: nobody takes the stream any more, as of now.
    fn write(&mut self, stream: u8, bytes: &[u8]) -> bool {
        let sink = &mut self.sinks[stream as usize - 1];
        let taken = sink.as_mut().is_none_or(|to| to.write_all(bytes).and_then(|()| to.flush()).is_ok());
        if !taken {
            *sink = None;
        }
        taken
    }
}

/// How a console's output is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Treatment {
    /// It is in frames.
    pub framed: bool,
    /// It is kept rather than passed on to our standard output and error.
    pub captured: bool,
    /// It begins with what the firmware says, which ends with the mark.
    pub marked: bool,
}

/// Takes a console's output piece by piece, and passes it on or keeps it.
pub struct Listener {
    how: Treatment,
    heard: Heard,
    decoder: Decoder,
    sinks: Sinks,
}
impl Listener {
    pub fn new(how: Treatment) -> Listener {
        let sinks = Sinks { sinks: [Some(Descriptor(1)), Some(Descriptor(2))] };
        Listener { how, heard: Heard::default(), decoder: Decoder::new(how.framed, !how.marked), sinks }
    }
    /// Takes `bytes`. Where nobody takes our standard output any more, the guest is told, if it has `input`; else this is false, as where
    /// Ctrl-C is to end the machine.
    pub fn hear(&mut self, bytes: &[u8], input: Option<&Input>) -> bool {
        let Listener { how, heard, decoder, sinks } = self;
        let mut whole = true;
        decoder.decode(bytes, |piece| match (piece, input) {
            (Piece::Bytes(stream, bytes), _) if how.captured => {
                let kept = if stream == ERROR { &mut heard.errors } else { &mut heard.output };
                kept.extend_from_slice(bytes);
            }
            (Piece::Bytes(stream, bytes), input) => {
                if !sinks.write(stream, bytes)
                    && input.is_none_or(|input| input.send(&[ESCAPE, stream]).is_err())
                    && stream == OUTPUT
                {
                    whole = false;
                }
            }
            (Piece::Told(INTERRUPTED), _) => {
                heard.interrupted = true;
                whole = false;
            }
            (Piece::Told(what), Some(input)) => input.told(what),
            (Piece::Told(_), None) => {}
        });
        whole
    }
    pub fn into_heard(self) -> Heard {
        Heard { firmware: self.decoder.firmware, ..self.heard }
    }
}
/// Listens to a console until it ends, or until [`Listener::hear`] fails, which sets `broken`.
pub fn listen(mut from: impl Read, how: Treatment, input: Option<&Input>, broken: &AtomicBool) -> Heard {
    let mut listener = Listener::new(how);
    let mut buffer = vec![0; 65536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if !listener.hear(&buffer[..count], input) {
            broken.store(true, Ordering::Relaxed);
            break;
        }
    }
    listener.into_heard()
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::console::SERIAL;
    const ROOM: usize = SERIAL.room;
    const STEP: usize = SERIAL.step;
    const FRAMED: Treatment = Treatment { framed: true, captured: true, marked: true };

    fn heard(pieces: &[&[u8]], how: Treatment) -> Heard {
        let all: Vec<u8> = pieces.concat();
        let whole = listen(&all[..], how, None, &AtomicBool::new(false));
        // However it is cut.
        struct Bytes<'a>(&'a [u8]);
        impl Read for Bytes<'_> {
            fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
                self.0.read(&mut to[..1])
            }
        }
        assert_eq!(listen(Bytes(&all), how, None, &AtomicBool::new(false)), whole);
        whole
    }
    #[test]
    fn what_precedes_the_mark_is_dropped() {
        let h =
            heard(&[b"OpenSBI", b" v1\x1eab", b"c\x1ed"], Treatment { framed: false, captured: true, marked: true });
        assert_eq!((h.output, h.firmware), (b"abc\x1ed".to_vec(), vec![]));
    }
    #[test]
    fn without_a_mark_everything_is_kept_aside() {
        let h = heard(&[b"no luck"], FRAMED);
        assert_eq!((h.output, h.firmware), (vec![], b"no luck".to_vec()));
    }
    #[test]
    fn errors_are_told_apart() {
        let h = heard(&[b"\x1ea\x10\x02b\x10\x01c\x10\x03d"], FRAMED);
        assert_eq!((h.output, h.errors), (b"acd".to_vec(), b"b".to_vec()));
    }
    #[test]
    fn an_interrupt_that_nobody_takes_is_the_end() {
        let h = heard(&[b"\x1ea\x10\x06"], FRAMED);
        assert_eq!((h.output, h.interrupted), (b"a".to_vec(), true));
    }
    #[test]
    fn an_escape_twice_is_one_byte() {
        assert_eq!(heard(&[b"\x1ea\x10\x10\x02"], FRAMED).output, b"a\x10\x02");
    }
    #[test]
    fn where_there_is_no_mark_everything_counts() {
        let how = Treatment { marked: false, ..FRAMED };
        assert_eq!(
            heard(&[b"a\x1eb\x10\x02c"], how),
            Heard { output: b"a\x1eb".into(), errors: b"c".into(), firmware: vec![], interrupted: false }
        );
    }
    #[test]
    fn without_frames_bytes_are_as_they_are() {
        let how = Treatment { framed: false, captured: true, marked: true };
        assert_eq!(heard(&[b"\x1ea\x10\x02b"], how).output, b"a\x10\x02b");
    }
    /// The other end of an input: a process that copies it.
    fn copier() -> (Arc<Input>, std::process::Child) {
        use std::process::{Command, Stdio};
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        (Input::new(child.stdin.take().unwrap(), SERIAL), child)
    }
    #[test]
    fn no_more_is_sent_than_there_is_room_for() {
        let (input, mut child) = copier();
        let mut out = child.stdout.take().unwrap();
        input.told(BEGIN);
        let feeding = input.clone();
        let bytes = vec![ESCAPE; ROOM + STEP + 1];
        let feed = std::thread::spawn(move || feeding.feed(&bytes[..]));
        let mut buffer = vec![0; 2 * ROOM];
        out.read_exact(&mut buffer).unwrap();
        assert!(buffer.iter().all(|&b| b == ESCAPE));
        assert_eq!(*input.room.lock().unwrap(), 0);
        input.told(TAKEN);
        out.read_exact(&mut buffer[..2 * STEP]).unwrap();
        input.told(TAKEN);
        out.read_exact(&mut buffer[..4]).unwrap();
        assert_eq!(buffer[..4], [ESCAPE, ESCAPE, ESCAPE, END]);
        feed.join().unwrap();
        drop(input);
        child.wait().unwrap();
    }
}
