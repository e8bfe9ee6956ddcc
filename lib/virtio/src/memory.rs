//! Memory that the device of a driver reads and writes, from the memory manager: chunks of consecutive pages, of which pages are given
//! out one after the other and never come back. A driver has one device, its first.

use abi::address::{DEVICE_VA, DMA_CHUNK, DMA_CHUNKS, DMA_OFFSET, PAGE};
use core::ptr::NonNull;
use pebble::interfaces::memory;
use pebble::interfaces::types::Physical;
use pebble::sync::Mutex;
use virtio_drivers::{BufferDirection, Hal, PhysAddr};

/// Where the first chunk appears.
const START: usize = DEVICE_VA + DMA_OFFSET;

struct Chunks {
    /// Physical addresses of those that there are.
    physical: [PhysAddr; DMA_CHUNKS],
    count: usize,
    /// Pages that were given out of the last one.
    used: usize,
}
static CHUNKS: Mutex<Chunks> = Mutex::new(Chunks { physical: [0; DMA_CHUNKS], count: 0, used: DMA_CHUNK / PAGE });

/// The memory of the driver's device.
pub struct Memory;
// SAFETY: each answer is pages that the memory manager gave this domain for the device, given out once.
unsafe impl Hal for Memory {
    fn dma_alloc(pages: usize, _: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        let mut chunks = CHUNKS.lock();
        if chunks.used + pages > DMA_CHUNK / PAGE {
            let number = chunks.count;
            let physical = match memory::dma(0, number) {
                Ok(Physical(physical)) if pages <= DMA_CHUNK / PAGE => physical,
                // A driver needs all that it asks for.
                _ => crate::device::fail("there is no memory for its device"),
            };
            chunks.physical[number] = physical as PhysAddr;
            (chunks.count, chunks.used) = (number + 1, 0);
        }
        let at = (chunks.count - 1) * DMA_CHUNK + chunks.used * PAGE;
        chunks.used += pages;
        let physical = chunks.physical[at / DMA_CHUNK] + (at % DMA_CHUNK) as PhysAddr;
        // SAFETY: it is not 0.
        (physical, unsafe { NonNull::new_unchecked((START + at) as *mut u8) })
    }
    unsafe fn dma_dealloc(_: PhysAddr, _: NonNull<u8>, _: usize) -> i32 {
        0
    }
    unsafe fn mmio_phys_to_virt(_: PhysAddr, _: usize) -> NonNull<u8> {
        // Only PCI asks.
        crate::device::fail("its device is on no bus that it knows")
    }
    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        let at = buffer.cast::<u8>().as_ptr() as usize;
        let Some(at) = at.checked_sub(START).filter(|at| at + buffer.len() <= DMA_CHUNKS * DMA_CHUNK) else {
            crate::device::fail("its device is to be shown memory that it may not see")
        };
        CHUNKS.lock().physical[at / DMA_CHUNK] + (at % DMA_CHUNK) as PhysAddr
    }
    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}
