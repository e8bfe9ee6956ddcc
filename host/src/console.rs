//! The guest's console at this end of its serial port, or of the port of a virtio console: output and errors told apart, input sent only where there is room for
//! it, in the form of [`abi::console`].

use abi::console::{BEGIN, END, ERROR, ESCAPE, INTERRUPTED, Number, OUTPUT, TAKEN, digits};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

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
    /// `TAKEN` or `BEGIN`, with its number.
    Number(u8, u32),
    /// `INTERRUPTED`.
    Interrupted,
}

/// Reads a port's output, without what precedes the mark.
pub struct Decoder {
    framed: bool,
    marked: bool,
    escaped: bool,
    /// What has a number, of which some bytes have come.
    number: Option<(u8, Number)>,
    /// Where bytes of data belong.
    stream: u8,
    firmware: Vec<u8>,
}
impl Decoder {
    /// `marked`: there is no mark, and nothing before it.
    pub fn new(framed: bool, marked: bool) -> Decoder {
        Decoder { framed, marked, escaped: false, number: None, stream: OUTPUT, firmware: Vec::new() }
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
            if let Some((what, number)) = &mut self.number {
                match number.next(first) {
                    Ok(None) => bytes = &bytes[1..],
                    Ok(Some(number)) => {
                        each(Piece::Number(*what, number));
                        (self.number, bytes) = (None, &bytes[1..]);
                    }
                    // Who said it has died.
                    Err(_) => self.number = None,
                }
                continue;
            }
            if self.escaped {
                self.escaped = false;
                match first {
                    OUTPUT | ERROR => self.stream = first,
                    TAKEN | BEGIN => self.number = Some((first, Number::default())),
                    INTERRUPTED => each(Piece::Interrupted),
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

/// The input of a console: a pipe to the machine, and what there is room for at its other end. What no reader has taken is kept, and sent again
/// where the console is started again.
pub struct Input {
    /// Locked before `state`.
    pipe: Mutex<Box<dyn Write + Send>>,
    /// Bytes that may wait at the other end.
    room: usize,
    state: Mutex<State>,
    changed: Condvar,
}
#[derive(Default)]
struct State {
    /// Input that no reader has taken; how much of it was sent.
    kept: VecDeque<u8>,
    sent: usize,
    /// There is no more, and that was sent.
    ended: bool,
    end_sent: bool,
    /// A console is there; the number by which it is to be told that what is sent is for it.
    begun: bool,
    greet: Option<u32>,
    /// Streams of output that nobody takes any more.
    closed: Vec<u8>,
    /// The machine is gone.
    over: bool,
}
impl State {
    /// What is to be sent, if anything is.
    fn next(&mut self) -> Vec<u8> {
        let mut framed = Vec::new();
        if let Some(number) = self.greet.take() {
            // The first byte ends an escape that was cut off, if there is one.
            framed.extend([0, ESCAPE, BEGIN]);
            framed.extend(digits(number));
            framed.extend(self.closed.iter().flat_map(|&stream| [ESCAPE, stream]));
        }
        if self.begun {
            for &byte in self.kept.range(self.sent..) {
                framed.extend(std::iter::repeat_n(byte, 1 + (byte == ESCAPE) as usize));
            }
            self.sent = self.kept.len();
            if self.ended && !std::mem::replace(&mut self.end_sent, true) {
                framed.extend([ESCAPE, END]);
            }
        }
        framed
    }
    fn has_next(&self) -> bool {
        self.greet.is_some() || self.begun && (self.sent < self.kept.len() || self.ended && !self.end_sent)
    }
    fn told(&mut self, what: u8, number: u32) {
        if what == BEGIN {
            (self.begun, self.greet, self.sent, self.end_sent) = (true, Some(number), 0, false);
        } else {
            let taken = self.sent.min(number as usize);
            self.kept.drain(..taken);
            self.sent -= taken;
        }
    }
}
impl Input {
    /// A thread sends what there is, until the machine is [over](Input::over).
    pub fn new(pipe: impl Write + Send + 'static, room: usize) -> Arc<Input> {
        let (pipe, state) = (Mutex::new(Box::new(pipe) as _), Mutex::new(State::default()));
        let input = Arc::new(Input { pipe, room, state, changed: Condvar::new() });
        let sender = input.clone();
        std::thread::spawn(move || sender.pass_on());
        input
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
    /// Waits until `done`, or until the machine is over.
    fn until(&self, done: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| !state.over && !done(state);
        self.changed.wait_while(self.state(), waits).unwrap_or_else(|e| e.into_inner())
    }
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
    fn told(&self, what: u8, number: u32) {
        self.change(|state| state.told(what, number));
    }
    /// Nothing can be sent any more: the threads that would, end.
    pub fn over(&self) {
        self.change(|state| state.over = true);
    }
    fn pass_on(&self) {
        while !self.until(State::has_next).over {
            let mut pipe = self.pipe.lock().unwrap_or_else(|e| e.into_inner());
            let next = self.state().next();
            if pipe.write_all(&next).is_err() {
                return self.over();
            }
        }
    }
    /// Nobody takes a stream of output any more.
    fn closed(&self, stream: u8) -> std::io::Result<()> {
        let mut pipe = self.pipe.lock().unwrap_or_else(|e| e.into_inner());
        self.state().closed.push(stream);
        pipe.write_all(&[ESCAPE, stream])
    }
    /// Takes all of `from`, as there is room, then its end.
    pub fn feed(&self, mut from: impl Read) {
        let mut buffer = vec![0; self.room];
        loop {
            let state = self.until(|state| state.begun && state.kept.len() < self.room);
            if state.over {
                return;
            }
            let room = self.room - state.kept.len();
            drop(state);
            let count = from.read(&mut buffer[..room]).unwrap_or(0);
            self.change(|state| {
                state.kept.extend(&buffer[..count]);
                state.ended = count == 0;
            });
            if count == 0 {
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
                    && input.is_none_or(|input| input.closed(stream).is_err())
                    && stream == OUTPUT
                {
                    whole = false;
                }
            }
            (Piece::Interrupted, _) => {
                heard.interrupted = true;
                whole = false;
            }
            (Piece::Number(what, number), Some(input)) => input.told(what, number),
            (Piece::Number(..), None) => {}
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
    use abi::console::{DIGITS, SERIAL_ROOM as ROOM};
    use std::os::unix::net::UnixStream;
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
    /// An input, and the other end of it.
    fn input() -> (Arc<Input>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        // A test that fails, rather than one that waits for good.
        theirs.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        (Input::new(ours, ROOM), theirs)
    }
    /// The console begins, and is told so.
    fn begin(input: &Input, machine: &mut UnixStream, number: u32) {
        input.told(BEGIN, number);
        assert_eq!(sent(machine, 3 + DIGITS), [&[0, ESCAPE, BEGIN][..], &digits(number)].concat());
    }
    fn sent(machine: &mut UnixStream, bytes: usize) -> Vec<u8> {
        let mut buffer = vec![0; bytes];
        machine.read_exact(&mut buffer).unwrap();
        buffer
    }
    fn feed(input: &Arc<Input>, bytes: Vec<u8>) -> std::thread::JoinHandle<()> {
        let feeding = input.clone();
        std::thread::spawn(move || feeding.feed(&bytes[..]))
    }
    #[test]
    fn no_more_is_sent_than_there_is_room_for() {
        let (input, mut machine) = input();
        let fed = feed(&input, vec![ESCAPE; ROOM + 6]);
        begin(&input, &mut machine, 1);
        assert!(sent(&mut machine, 2 * ROOM).iter().all(|&byte| byte == ESCAPE));
        assert_eq!(input.state().kept.len(), ROOM);
        input.told(TAKEN, 5);
        assert_eq!(sent(&mut machine, 10), [ESCAPE; 10]);
        input.told(TAKEN, 1);
        assert_eq!(sent(&mut machine, 2), [ESCAPE; 2]);
        input.told(TAKEN, 1);
        assert_eq!(sent(&mut machine, 2), [ESCAPE, END]);
        fed.join().unwrap();
        input.over();
    }
    #[test]
    fn what_was_not_taken_is_sent_again_to_the_next_console() {
        let (input, mut machine) = input();
        let fed = feed(&input, b"first\x10second".into());
        begin(&input, &mut machine, 1);
        assert_eq!(sent(&mut machine, 15), b"first\x10\x10second\x10\x04");
        input.told(TAKEN, 3);
        input.closed(OUTPUT).unwrap();
        assert_eq!(sent(&mut machine, 2), [ESCAPE, OUTPUT]);
        begin(&input, &mut machine, 2);
        assert_eq!(sent(&mut machine, 14), b"\x10\x01st\x10\x10second\x10\x04");
        // One that says more than it can have taken, and one that is there when all is over.
        input.told(TAKEN, 1000);
        begin(&input, &mut machine, 3);
        assert_eq!(sent(&mut machine, 4), [ESCAPE, OUTPUT, ESCAPE, END]);
        fed.join().unwrap();
        input.over();
    }
    #[test]
    fn a_number_that_is_cut_off_is_none() {
        let mut decoder = Decoder::new(true, true);
        let mut told = Vec::new();
        let bytes = [&[b'a', ESCAPE, TAKEN, 0x80][..], &[ESCAPE, BEGIN], &digits(77), b"b"].concat();
        bytes.iter().for_each(|byte| {
            decoder.decode(std::slice::from_ref(byte), |piece| told.push(format!("{piece:?}")));
        });
        assert_eq!(told, ["Bytes(1, [97])", "Number(5, 77)", "Bytes(1, [98])"]);
    }
    #[test]
    fn the_machine_s_end_ends_who_feeds_it() {
        let (input, _machine) = input();
        let fed = feed(&input, b"x".into());
        input.over();
        fed.join().unwrap();
    }
}
