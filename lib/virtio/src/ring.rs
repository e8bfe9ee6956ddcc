//! A queue of a device with the buffers that go through it.
//!
//! Each buffer is in one [`Place`], which a driver has while the device has it not: it is given away by [`Ring::lend`] and comes back by
//! [`Ring::take`], so nobody touches what the device may touch.

use alloc::boxed::Box;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{Ordering, fence};
use virtio_drivers::queue::VirtQueue;
use virtio_drivers::transport::Transport;
use virtio_drivers::{BufferDirection, Error, Hal, PAGE_SIZE};

/// What a device has said that can not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// It gives back a descriptor that it does not have.
    Descriptor(u16),
    /// It has written more than there was room for, or too little to be anything.
    Length { told: usize, room: usize },
    /// It has said one thing and then another.
    Changed,
    /// Its queue is in use, or too small.
    Queue,
    /// Its configuration or an answer makes no sense.
    Answer(u8),
}
impl fmt::Display for Lie {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Lie::Descriptor(token) => write!(f, "it gave back descriptor {token}, which it did not have"),
            Lie::Length { told, room } => {
                write!(f, "it says that it wrote {told} bytes where there was room for {room}")
            }
            Lie::Changed => write!(f, "what it gave back changed meanwhile"),
            Lie::Queue => write!(f, "its queue is in use, or too small"),
            Lie::Answer(answer) => write!(f, "it answered {answer}, which means nothing"),
        }
    }
}

/// A buffer that the device does not have.
#[derive(Debug, PartialEq, Eq)]
pub struct Place(u16);

/// What the device has, by the token that it will give back.
#[derive(Clone, Copy)]
struct Lent {
    place: u16,
    bytes: u16,
    /// The device writes it.
    written: bool,
}

/// A queue of `PLACES` buffers.
pub struct Ring<H: Hal, const PLACES: usize> {
    queue: VirtQueue<H, PLACES>,
    number: u16,
    buffers: Box<[NonNull<u8>; PLACES]>,
    /// Of each buffer.
    bytes: usize,
    lent: Box<[Option<Lent>; PLACES]>,
}
// SAFETY: the pointers lead to memory that is this ring's alone.
unsafe impl<H: Hal, const PLACES: usize> Send for Ring<H, PLACES> {}

impl<H: Hal, const PLACES: usize> Ring<H, PLACES> {
    /// Queue `number` of the device, and its buffers, of so many `bytes` each, a part of a page. All places are the driver's.
    pub fn new(transport: &mut impl Transport, number: u16, bytes: usize) -> Result<(Self, [Place; PLACES]), Lie> {
        Self::with_gap(transport, number, bytes, 0)
    }
    /// The same, where the first `gap` bytes of each buffer are left out, so that what is in it lies well in its words.
    pub fn with_gap(
        transport: &mut impl Transport,
        number: u16,
        bytes: usize,
        gap: usize,
    ) -> Result<(Self, [Place; PLACES]), Lie> {
        debug_assert!(PAGE_SIZE.is_multiple_of(bytes) && PLACES <= 256 && gap < bytes);
        let queue = VirtQueue::new(transport, number, false, false).map_err(|_| Lie::Queue)?;
        let mut page = NonNull::dangling();
        let buffers = core::array::from_fn(|n| {
            let at = n * bytes % PAGE_SIZE;
            if at == 0 {
                page = H::dma_alloc(1, BufferDirection::Both).1;
            }
            // SAFETY: it stays in the page, into which a whole number of buffers fits.
            unsafe { page.add(at + gap) }
        });
        let ring =
            Ring { queue, number, buffers: Box::new(buffers), bytes: bytes - gap, lent: Box::new([None; PLACES]) };
        Ok((ring, core::array::from_fn(|n| Place(n as u16))))
    }
    /// The buffer of a place.
    pub fn buffer(&mut self, place: &mut Place) -> &mut [u8] {
        // SAFETY: the memory is this ring's, and the device does not have it as long as there is a place.
        unsafe { core::slice::from_raw_parts_mut(self.buffers[place.0 as usize].as_ptr(), self.bytes) }
    }
    /// Gives the device the first `bytes` of a place's buffer, to write where `written`, else to read.
    pub fn lend(&mut self, mut place: Place, bytes: usize, written: bool) -> Result<(), Lie> {
        let number = place.0;
        let buffer: *mut [u8] = &mut self.buffer(&mut place)[..bytes];
        // SAFETY: the memory stays where it is, and nobody has the place until the device gives it back.
        let token = unsafe {
            if written { self.queue.add(&[], &mut [&mut *buffer]) } else { self.queue.add(&[&*buffer], &mut []) }
        };
        let token = token.map_err(|_| Lie::Queue)?;
        let lent = self.lent.get_mut(token as usize).ok_or(Lie::Queue)?;
        *lent = Some(Lent { place: number, bytes: bytes as u16, written });
        Ok(())
    }
    /// The next place that the device gives back, with the bytes that it has written there.
    pub fn take(&mut self) -> Result<Option<(Place, usize)>, Lie> {
        let Some(token) = self.queue.peek_used() else { return Ok(None) };
        let lent = self.lent.get_mut(token as usize).and_then(Option::take).ok_or(Lie::Descriptor(token))?;
        let mut place = Place(lent.place);
        let buffer: *mut [u8] = &mut self.buffer(&mut place)[..lent.bytes as usize];
        // SAFETY: the same bytes that were lent with this token, which nobody else has.
        let told = unsafe {
            if lent.written {
                self.queue.pop_used(token, &[], &mut [&mut *buffer])
            } else {
                self.queue.pop_used(token, &[&*buffer], &mut [])
            }
        };
        let told = match told {
            Ok(told) => told as usize,
            Err(Error::WrongToken) => return Err(Lie::Changed),
            Err(_) => return Err(Lie::Queue),
        };
        // What a device says to have written to what it only reads means nothing: some say the length.
        if lent.written && told > lent.bytes as usize {
            return Err(Lie::Length { told, room: lent.bytes as usize });
        }
        Ok(Some((place, told)))
    }
    /// Tells the device of what it was lent, if it wants to know.
    pub fn notify(&mut self, transport: &mut impl Transport) {
        // It is asked after it can see what is new (section 2.6.13.4.1), which `virtio-drivers` 0.13 leaves open.
        fence(Ordering::SeqCst);
        if self.queue.should_notify() {
            transport.notify(self.number);
        }
    }
    /// Whether the device interrupts when it gives something back.
    pub fn interrupt(&mut self, on: bool) {
        self.queue.set_dev_notify(on);
    }
}
