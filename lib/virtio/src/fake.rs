//! A device for tests: it has the queues that a driver gave it, and does with them what the test says, lies included.

use crate::{BufferDirection, DeviceType, Hal, PhysAddr, Transport};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed};
use std::sync::Mutex;
use virtio_drivers::transport::{DeviceStatus, InterruptStatus};
use virtio_drivers::{Error, PAGE_SIZE, Result};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Most queues of a device.
const QUEUES: usize = 6;
/// Bytes of a descriptor; of the heads of both rings; of an entry of the used ring (section 2.6).
const DESCRIPTOR: usize = 16;
const HEAD: usize = 4;
const USED: usize = 8;

/// Memory of the test's process, whose physical addresses are its addresses. It is never given back.
pub struct Memory;
// SAFETY: each answer is pages of their own.
unsafe impl Hal for Memory {
    fn dma_alloc(pages: usize, _: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        let layout = Layout::from_size_align(pages * PAGE_SIZE, PAGE_SIZE).expect("some pages");
        // SAFETY: it is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).expect("memory for a test");
        (start.as_ptr() as PhysAddr, start)
    }
    unsafe fn dma_dealloc(_: PhysAddr, _: NonNull<u8>, _: usize) -> i32 {
        0
    }
    unsafe fn mmio_phys_to_virt(_: PhysAddr, _: usize) -> NonNull<u8> {
        unreachable!("there are no registers")
    }
    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        buffer.cast::<u8>().as_ptr() as PhysAddr
    }
    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}

/// Where a queue's three parts are.
#[derive(Clone, Copy, Default)]
struct Queue {
    size: usize,
    descriptors: usize,
    available: usize,
    used: usize,
}
struct State {
    kind: DeviceType,
    features: u64,
    configuration: Vec<u8>,
    queues: [Queue; QUEUES],
    status: DeviceStatus,
}
/// The device, for the driver and for the test.
#[derive(Clone)]
pub struct Fake(Arc<Mutex<State>>);

/// Reads or writes a value of a queue.
///
/// # Safety
/// It lies in a queue that the driver has set up.
unsafe fn at<T>(address: usize) -> *mut T {
    address as *mut T
}
impl Fake {
    /// With these features beside that it is no legacy device, and this configuration space.
    pub fn new(kind: DeviceType, features: u64, configuration: &[u8]) -> Fake {
        let features = features | crate::Features::VERSION_1.bits();
        let configuration = configuration.to_vec();
        let status = DeviceStatus::empty();
        Fake(Arc::new(Mutex::new(State { kind, features, configuration, queues: Default::default(), status })))
    }
    fn queue(&self, number: u16) -> Queue {
        self.0.lock().unwrap().queues[number as usize]
    }
    /// The first descriptors of all that the driver has ever lent by a queue, of which there is room for the last ones.
    pub fn available(&self, number: u16) -> Vec<u32> {
        let queue = self.queue(number);
        // SAFETY: the ring is the driver's, of so many entries.
        unsafe {
            let count = at::<u16>(queue.available + 2).read_volatile() as usize;
            let entry = |n: usize| at::<u16>(queue.available + HEAD + n % queue.size * 2).read_volatile() as u32;
            (0..count).map(entry).collect()
        }
    }
    /// The buffer of a descriptor: address, bytes, and the next one of its chain.
    fn descriptor(&self, number: u16, token: u32) -> (usize, usize, Option<u32>) {
        let start = self.queue(number).descriptors + token as usize * DESCRIPTOR;
        // SAFETY: a descriptor of the driver's.
        unsafe {
            let more = at::<u16>(start + 12).read_volatile() & 1 != 0;
            let next = at::<u16>(start + 14).read_volatile() as u32;
            let bytes = at::<u32>(start + 8).read_volatile() as usize;
            (at::<u64>(start).read_volatile() as usize, bytes, more.then_some(next))
        }
    }
    /// What the driver lent with the chain that begins there, buffer by buffer.
    pub fn buffers(&self, number: u16, token: u32) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut next = Some(token);
        while let Some(token) = next {
            let (start, bytes, more) = self.descriptor(number, token);
            // SAFETY: the driver has lent it.
            all.push(unsafe { core::slice::from_raw_parts(start as *const u8, bytes) }.to_vec());
            next = more;
        }
        all
    }
    /// Writes to the start of a descriptor's buffer, which must have room.
    pub fn write(&self, number: u16, token: u32, bytes: &[u8]) {
        let (start, room, _) = self.descriptor(number, token);
        assert!(bytes.len() <= room);
        // SAFETY: the driver has lent so much.
        unsafe { at::<u8>(start).copy_from(bytes.as_ptr(), bytes.len()) }
    }
    /// Writes to the last buffer of a chain.
    pub fn write_last(&self, number: u16, token: u32, bytes: &[u8]) {
        let mut last = token;
        while let (_, _, Some(next)) = self.descriptor(number, last) {
            last = next;
        }
        self.write(number, last, bytes);
    }
    /// Gives something back, whatever it is, and says that so many bytes of it were written.
    pub fn give_back(&self, number: u16, token: u32, written: u32) {
        let queue = self.queue(number);
        // SAFETY: the used ring is the driver's, of so many entries.
        unsafe {
            let index = at::<u16>(queue.used + 2);
            let entry = queue.used + HEAD + index.read_volatile() as usize % queue.size * USED;
            at::<u32>(entry).write_volatile(token);
            at::<u32>(entry + 4).write_volatile(written);
            index.write_volatile(index.read_volatile().wrapping_add(1));
        }
    }
    /// Says that so many more were given back than were.
    pub fn skip(&self, number: u16, count: u16) {
        // SAFETY: as above.
        unsafe {
            let index = at::<u16>(self.queue(number).used + 2);
            index.write_volatile(index.read_volatile().wrapping_add(count));
        }
    }
}
impl Transport for Fake {
    fn device_type(&self) -> DeviceType {
        self.0.lock().unwrap().kind
    }
    fn read_device_features(&mut self) -> u64 {
        self.0.lock().unwrap().features
    }
    fn write_driver_features(&mut self, _: u64) {}
    fn max_queue_size(&mut self, _: u16) -> u32 {
        256
    }
    fn notify(&mut self, _: u16) {}
    fn get_status(&self) -> DeviceStatus {
        self.0.lock().unwrap().status
    }
    fn set_status(&mut self, status: DeviceStatus) {
        self.0.lock().unwrap().status = status;
    }
    fn set_guest_page_size(&mut self, _: u32) {}
    fn requires_legacy_layout(&self) -> bool {
        false
    }
    fn queue_set(&mut self, number: u16, size: u32, descriptors: PhysAddr, available: PhysAddr, used: PhysAddr) {
        self.0.lock().unwrap().queues[number as usize] = Queue {
            size: size as usize,
            descriptors: descriptors as usize,
            available: available as usize,
            used: used as usize,
        };
    }
    fn queue_unset(&mut self, number: u16) {
        self.0.lock().unwrap().queues[number as usize] = Queue::default();
    }
    fn queue_used(&mut self, number: u16) -> bool {
        self.queue(number).size > 0
    }
    fn ack_interrupt(&mut self) -> InterruptStatus {
        InterruptStatus::QUEUE_INTERRUPT
    }
    fn read_config_generation(&self) -> u32 {
        0
    }
    fn read_config_space<T: FromBytes + IntoBytes>(&self, offset: usize) -> Result<T> {
        let state = self.0.lock().unwrap();
        let bytes = state.configuration.get(offset..offset + size_of::<T>()).ok_or(Error::ConfigSpaceTooSmall)?;
        T::read_from_bytes(bytes).map_err(|_| Error::ConfigSpaceTooSmall)
    }
    fn write_config_space<T: IntoBytes + Immutable>(&mut self, _: usize, _: T) -> Result<()> {
        Err(Error::Unsupported)
    }
}
/// A configuration space that begins with these bytes.
pub fn configuration(start: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..start.len()].copy_from_slice(start);
    bytes
}
