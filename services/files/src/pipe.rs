//! A pipe: bytes on their way, and who has its two sides.

use abi::Error;
use alloc::boxed::Box;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a pipe holds.
const CAPACITY: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Read,
    Write,
}
/// A read that found nothing and waits. Where it is the only one, a write gives it its bytes at once.
pub struct Reader {
    to: *mut u8,
    room: usize,
    /// How many bytes it has got, and one; 0: none yet.
    got: AtomicUsize,
}
impl Reader {
    /// Reads into `to`, at most `room` bytes, which may be written as long as it waits ([`Pipe::wait_for_bytes`]).
    pub fn new(to: *mut u8, room: usize) -> Reader {
        Reader { to, room, got: AtomicUsize::new(0) }
    }
    /// How many bytes a write has given it.
    pub fn got(&self) -> Option<usize> {
        self.got.load(Ordering::Relaxed).checked_sub(1)
    }
    /// Gives it of `from` what it has room for; how much.
    ///
    /// # Safety
    /// It waits, and the bytes that it was made with may be written.
    #[inline(always)]
    unsafe fn give<const SHORT: bool>(&self, from: &[u8]) -> usize {
        let count = from.len().min(self.room);
        if SHORT {
            // SAFETY: the caller's promise; they are the reader's alone.
            (0..count).for_each(|n| unsafe { self.to.add(n).write_volatile(from[n]) });
        } else {
            // SAFETY: as above.
            unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), self.to, count) };
        }
        // The semaphore that it waits for orders this, and what was copied, before what it does then.
        self.got.store(count + 1, Ordering::Relaxed);
        count
    }
}

/// All zeros: one that is empty, and both of whose sides somebody has. What every operation needs is in front, so that it has
/// short offsets.
#[repr(C)]
pub struct Pipe {
    /// Where the first byte is, and how many there are.
    first: usize,
    count: usize,
    /// Threads that wait for bytes, or for room.
    waiting: usize,
    /// Nobody has the side any more.
    pub no_readers: bool,
    pub no_writers: bool,
    /// The only thread that waits for bytes.
    reader: Option<NonNull<Reader>>,
    bytes: [u8; CAPACITY],
}
/// So many bytes are copied one by one in less time than by a call: reads and writes of no more are `SHORT`.
pub const FEW: usize = 8;
impl Pipe {
    /// Made where it stays: it is too large for a server's stack. `ENOMEM`.
    pub fn new() -> Result<Box<Pipe>, Error> {
        // SAFETY: zeros are a value of every field.
        unsafe { fallible::zeroed() }
    }
    /// Bytes that are in it.
    pub fn bytes(&self) -> usize {
        self.count
    }
    /// Fills `to` with what there is; how much. 0 where nobody can write any more; `None`: there is nothing yet.
    #[inline(always)]
    pub fn read<const SHORT: bool>(&mut self, to: &mut [u8]) -> Option<usize> {
        if self.count == 0 {
            return (self.no_writers || to.is_empty()).then_some(0);
        }
        let count = to.len().min(self.count);
        let to = &mut to[..count];
        if SHORT {
            to.iter_mut().enumerate().for_each(|(n, byte)| *byte = self.bytes[(self.first + n) % CAPACITY]);
        } else {
            self.copy_out(to);
        }
        self.first = (self.first + count) % CAPACITY;
        self.count -= count;
        Some(count)
    }
    #[inline(never)]
    fn copy_out(&self, to: &mut [u8]) {
        let ahead = &self.bytes[self.first % CAPACITY..];
        let (one, other) = to.split_at_mut(to.len().min(ahead.len()));
        one.copy_from_slice(&ahead[..one.len()]);
        other.copy_from_slice(&self.bytes[..other.len()]);
    }
    #[inline(never)]
    fn copy_in(&mut self, end: usize, from: &[u8]) {
        let (one, other) = from.split_at(from.len().min(CAPACITY - end));
        self.bytes[end..][..one.len()].copy_from_slice(one);
        self.bytes[..other.len()].copy_from_slice(other);
    }
    /// `reader` waits from now on.
    ///
    /// # Safety
    /// What it reads into may be written, by any thread, until it has got something or [`Pipe::forget`] was called.
    pub unsafe fn wait_for_bytes(&mut self, reader: &Reader) {
        self.reader = if self.waiting == 0 { Some(NonNull::from(reader)) } else { None };
        self.waiting += 1;
    }
    /// `reader` waits no more, though nobody has woken it.
    pub fn forget(&mut self, reader: &Reader) {
        if self.reader == Some(NonNull::from(reader)) {
            self.reader = None;
        }
        self.leave();
    }
    /// A thread waits no more, though nobody has woken it. Where it was counted among the woken, another wakes for nothing, and looks
    /// again.
    pub fn leave(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }
    /// A thread waits for room.
    pub fn wait_for_room(&mut self) {
        self.waiting += 1;
    }
    /// Something has changed: whether there is a thread that waited for that, and does no more.
    #[inline(always)]
    pub fn wake(&mut self) -> bool {
        let waits = self.waiting > 0;
        self.waiting -= waits as usize;
        self.reader = None;
        waits
    }
    /// Takes as many of `from` as there is room for; how many. `EPIPE`: nobody can read them; `None`: there is no room yet.
    #[inline(always)]
    pub fn write<const SHORT: bool>(&mut self, from: &[u8]) -> Option<Result<usize, Error>> {
        if self.no_readers {
            return Some(Err(Error::EPIPE));
        }
        let (mut given, mut from) = (0, from);
        if let Some(reader) = self.reader.filter(|_| !from.is_empty()) {
            // SAFETY: it waits, by the promise of `wait_for_bytes`.
            given = unsafe { reader.as_ref().give::<SHORT>(from) };
            self.reader = None;
            if given == from.len() {
                return Some(Ok(given));
            }
            from = &from[given..];
        }
        let count = from.len().min(CAPACITY - self.count);
        if count == 0 && !from.is_empty() {
            return None;
        }
        let (end, from) = (self.first + self.count, &from[..count]);
        if SHORT {
            from.iter().enumerate().for_each(|(n, &byte)| self.bytes[(end + n) % CAPACITY] = byte);
        } else {
            self.copy_in(end % CAPACITY, from);
        }
        self.count += count;
        Some(Ok(given + count))
    }
}
// SAFETY: what the pointer leads to may be used from any thread, by the promise of `wait_for_bytes`.
unsafe impl Send for Pipe {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order_around_the_end() {
        let mut pipe = Pipe::new().unwrap();
        let (mut sent, mut got) = (0u32, 0u32);
        for step in 0..5000 {
            let data: Vec<u8> = (0..step % 97).map(|n| ((sent + n) % 251) as u8).collect();
            let (short, other) = (step % 3 == 0, step % 5 == 0);
            let written = if short { pipe.write::<true>(&data) } else { pipe.write::<false>(&data) };
            sent += written.map_or(0, |r| r.unwrap()) as u32;
            let mut to = vec![0; step as usize % 89];
            let count = if other { pipe.read::<true>(&mut to) } else { pipe.read::<false>(&mut to) }.unwrap_or(0);
            for byte in &to[..count] {
                assert_eq!(*byte, (got % 251) as u8);
                got += 1;
            }
        }
        assert!(got > 100_000 && sent - got <= 4096);
    }
    fn waiting(pipe: &mut Pipe, to: &mut [u8]) -> Box<Reader> {
        let reader = Box::new(Reader::new(to.as_mut_ptr(), to.len()));
        // SAFETY: the tests keep the bytes, and look at them only when they are there.
        unsafe { pipe.wait_for_bytes(&reader) };
        reader
    }
    #[test]
    fn the_only_reader_that_waits_gets_its_bytes_at_once() {
        for (room, short) in [(1, true), (5, false), (9, true), (100, false)] {
            let (mut pipe, mut to) = (Pipe::new().unwrap(), vec![0; room]);
            let reader = waiting(&mut pipe, &mut to);
            let sent = b"hello, reader";
            let written = if short { pipe.write::<true>(sent) } else { pipe.write::<false>(sent) };
            assert_eq!((written, pipe.wake()), (Some(Ok(13)), true));
            let got = reader.got().unwrap();
            assert_eq!((got, &to[..got]), (room.min(13), &b"hello, reader"[..got]));
            // What it had no room for comes next.
            let mut rest = vec![0; 20];
            let more = pipe.read::<false>(&mut rest).unwrap_or(0);
            assert_eq!(&rest[..more], &b"hello, reader"[got..]);
            assert!(!pipe.wake());
        }
    }
    #[test]
    fn of_two_readers_that_wait_neither_is_given_anything() {
        let (mut pipe, mut to) = (Pipe::new().unwrap(), [[0; 4]; 2]);
        let [one, other] = &mut to;
        let readers = [waiting(&mut pipe, one), waiting(&mut pipe, other)];
        assert_eq!((pipe.write::<false>(b"x"), pipe.bytes()), (Some(Ok(1)), 1));
        assert!(readers.iter().all(|reader| reader.got().is_none()));
        assert_eq!([pipe.wake(), pipe.wake(), pipe.wake()], [true, true, false]);
    }
    #[test]
    fn a_reader_that_waits_no_more_is_given_nothing() {
        let (mut pipe, mut to) = (Pipe::new().unwrap(), [0; 4]);
        let reader = waiting(&mut pipe, &mut to);
        pipe.forget(&reader);
        assert_eq!((pipe.write::<false>(b"x"), reader.got(), pipe.wake()), (Some(Ok(1)), None, false));
        let woken = waiting(&mut pipe, &mut to);
        assert!(pipe.wake());
        assert_eq!((pipe.write::<false>(b"y"), woken.got(), pipe.bytes()), (Some(Ok(1)), None, 2));
    }
    #[test]
    fn writing_nothing_gives_nothing() {
        let (mut pipe, mut to) = (Pipe::new().unwrap(), [0; 4]);
        let reader = waiting(&mut pipe, &mut to);
        assert_eq!((pipe.write::<false>(b""), reader.got()), (Some(Ok(0)), None));
    }
    #[test]
    fn an_empty_pipe_ends_when_nobody_writes() {
        let mut pipe = Pipe::new().unwrap();
        assert_eq!(pipe.read::<false>(&mut [0]), None);
        pipe.write::<false>(b"x");
        pipe.no_writers = true;
        assert_eq!((pipe.read::<false>(&mut [0]), pipe.read::<false>(&mut [0])), (Some(1), Some(0)));
    }
    #[test]
    fn a_write_that_nobody_reads_is_refused() {
        let mut pipe = Pipe::new().unwrap();
        pipe.no_readers = true;
        assert_eq!(pipe.write::<false>(b"x"), Some(Err(Error::EPIPE)));
    }
    #[test]
    fn a_pipe_without_memory_is_refused() {
        assert!(matches!(fallible::failing::with_only(0, Pipe::new), Err(Error::ENOMEM)));
    }
    #[test]
    fn a_full_pipe_takes_nothing() {
        let mut pipe = Pipe::new().unwrap();
        assert_eq!(pipe.write::<false>(&[1; 5000]), Some(Ok(4096)));
        assert_eq!(pipe.write::<false>(b"x"), None);
    }
}
