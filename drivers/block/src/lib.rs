//! A virtio disk (Virtual I/O Device 1.1, section 5.2), free of hardware: one request after the other, and what the disk may say.
#![cfg_attr(not(test), no_std)]

use abi::block::{MOST, SECTOR};
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{Ordering, fence};
use virtio::{BufferDirection, Features, Hal, Lie, Transport};
use virtio_drivers::queue::VirtQueue;

/// Requests have three descriptors, and there is one at a time.
const PLACES: usize = 8;
/// Kinds of requests (section 5.2.6).
const READ: u32 = 0;
const WRITE: u32 = 1;
const FLUSH: u32 = 4;
/// Where a request's parts are in its page: the head, and what the disk says of it in the end.
const HEAD: usize = 16;
/// What it says: done, failed, not known.
const DONE: u8 = 0;
const FAILED: u8 = 1;
const UNSUPPORTED: u8 = 2;
/// What is there before it has said anything.
const NOTHING: u8 = 0xff;

/// Where the disk says how many bytes its blocks have (section 5.2.4).
const BLOCK: usize = 20;

/// What no file system here can do with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    ReadOnly,
    /// Its blocks have so many bytes, and of less than one it writes nothing.
    Blocks(u32),
}
impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unfit::ReadOnly => f.write_str("the disk can not be written"),
            Unfit::Blocks(bytes) => write!(f, "the disk has blocks of {bytes} bytes, where {SECTOR} are wanted"),
        }
    }
}
/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Failed,
}
/// A request that the disk has.
#[derive(Clone, Copy)]
struct Request {
    token: u16,
    kind: u32,
    bytes: usize,
}
pub struct Disk<H: Hal, T: Transport> {
    registers: T,
    queue: VirtQueue<H, PLACES>,
    sectors: u64,
    unfit: Option<Unfit>,
    flushes: bool,
    /// The page of a request's head and end, and eight pages for its data.
    page: NonNull<u8>,
    data: NonNull<u8>,
    running: Option<Request>,
}
// SAFETY: the pointers lead to memory that is this disk's alone.
unsafe impl<H: Hal, T: Transport + Send> Send for Disk<H, T> {}

impl<H: Hal, T: Transport> Disk<H, T> {
    /// Resets the disk and makes it ready.
    pub fn new(mut registers: T) -> Result<Disk<H, T>, Lie> {
        let wanted = Features::FLUSH | Features::READ_ONLY | Features::BLOCK_SIZE | Features::VERSION_1;
        let features = registers.begin_init(wanted);
        let half = |registers: &T, at| registers.read_config_space::<u32>(at).map_err(|_| Lie::Answer(0));
        let sectors = half(&registers, 0)? as u64 | (half(&registers, 4)? as u64) << 32;
        let unfit = if features.contains(Features::READ_ONLY) {
            Some(Unfit::ReadOnly)
        } else if features.contains(Features::BLOCK_SIZE) {
            Some(half(&registers, BLOCK)?).filter(|bytes| *bytes as usize > SECTOR).map(Unfit::Blocks)
        } else {
            None
        };
        let queue = VirtQueue::new(&mut registers, 0, false, false).map_err(|_| Lie::Queue)?;
        let page = H::dma_alloc(1, BufferDirection::Both).1;
        let data = H::dma_alloc(MOST.div_ceil(virtio_drivers::PAGE_SIZE), BufferDirection::Both).1;
        registers.finish_init();
        let flushes = features.contains(Features::FLUSH);
        Ok(Disk { registers, queue, sectors, unfit, flushes, page, data, running: None })
    }
    /// Why it can not be used.
    pub fn unfit(&self) -> Option<Unfit> {
        self.unfit
    }
    /// How many there are.
    pub fn sectors(&self) -> u64 {
        self.sectors
    }
    /// Takes the disk's interrupt back.
    pub fn acknowledge(&mut self) {
        self.registers.ack_interrupt();
    }
    /// Whether a transfer lies within the disk.
    pub fn has(&self, sector: u64, bytes: usize) -> bool {
        let count = (bytes / SECTOR) as u64;
        bytes > 0
            && bytes <= MOST
            && bytes.is_multiple_of(SECTOR)
            && sector.checked_add(count).is_some_and(|end| end <= self.sectors)
    }
    /// The data of a request, while the disk has none.
    pub fn data(&mut self) -> Option<&mut [u8]> {
        // SAFETY: the memory is this disk's, and no request is running.
        self.running.is_none().then(|| unsafe { core::slice::from_raw_parts_mut(self.data.as_ptr(), MOST) })
    }
    pub fn read(&mut self, sector: u64, bytes: usize) -> Result<(), Lie> {
        self.start(READ, sector, bytes)
    }
    /// Writes what is in [`Disk::data`].
    pub fn write(&mut self, sector: u64, bytes: usize) -> Result<(), Lie> {
        self.start(WRITE, sector, bytes)
    }
    /// Makes what was written last. False: the disk does that by itself.
    pub fn flush(&mut self) -> Result<bool, Lie> {
        if self.flushes {
            self.start(FLUSH, 0, 0)?;
        }
        Ok(self.flushes)
    }
    /// The parts of a request: its head, its data, its end.
    fn parts(&self, bytes: usize) -> [*mut [u8]; 3] {
        let page = self.page.as_ptr();
        let slice = core::ptr::slice_from_raw_parts_mut;
        [slice(page, HEAD), slice(self.data.as_ptr(), bytes), slice(page.wrapping_add(HEAD), 1)]
    }
    fn start(&mut self, kind: u32, sector: u64, bytes: usize) -> Result<(), Lie> {
        let [head, data, end] = self.parts(bytes);
        // SAFETY: the memory is this disk's, no request is running, and nobody touches it until this one has ended.
        let token = unsafe {
            let parts = &mut *head;
            parts[..4].copy_from_slice(&kind.to_le_bytes());
            parts[4..8].fill(0);
            parts[8..].copy_from_slice(&sector.to_le_bytes());
            end.cast::<u8>().write_volatile(NOTHING);
            match kind {
                READ => self.queue.add(&[&*head], &mut [&mut *data, &mut *end]),
                WRITE => self.queue.add(&[&*head, &*data], &mut [&mut *end]),
                _ => self.queue.add(&[&*head], &mut [&mut *end]),
            }
        };
        let token = token.map_err(|_| Lie::Queue)?;
        self.running = Some(Request { token, kind, bytes });
        // It is asked after it can see the request (section 2.6.13.4.1).
        fence(Ordering::SeqCst);
        if self.queue.should_notify() {
            self.registers.notify(0);
        }
        Ok(())
    }
    /// What came of the request that is running; `None`: nothing yet.
    pub fn finish(&mut self) -> Result<Option<Outcome>, Lie> {
        let Some(token) = self.queue.peek_used() else { return Ok(None) };
        let Some(Request { kind, bytes, .. }) = self.running.take_if(|request| request.token == token) else {
            return Err(Lie::Descriptor(token));
        };
        let [head, data, end] = self.parts(bytes);
        // SAFETY: the same that was added with this token, which the disk has given back.
        let told = unsafe {
            match kind {
                READ => self.queue.pop_used(token, &[&*head], &mut [&mut *data, &mut *end]),
                WRITE => self.queue.pop_used(token, &[&*head, &*data], &mut [&mut *end]),
                _ => self.queue.pop_used(token, &[&*head], &mut [&mut *end]),
            }
        };
        told.map_err(|_| Lie::Changed)?;
        // SAFETY: the disk has given it back; one that goes on writing can change nothing but this byte.
        match unsafe { end.cast::<u8>().read_volatile() } {
            DONE => Ok(Some(Outcome::Done)),
            FAILED | UNSUPPORTED => Ok(Some(Outcome::Failed)),
            answer => Err(Lie::Answer(answer)),
        }
    }
    /// Whether a request is running.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
