//! Pages that a device reads and writes itself (direct memory access).
//!
//! A driver asks for them by the chunk: eight pages that follow each other in physical memory, whose address it is told, for that is
//! what it tells its device. Nothing takes them from where they are: they can not be unmapped, given away, shared or copied.
//!
//! There is no unit between devices and memory that could hold a device to its driver's pages. So **what a device may have been told
//! of is never anybody else's again**: when the driver ends, its device may go on writing, and its chunks are kept for the next
//! driver of the same device, which resets it first. A driver that ends again and again takes no more than one that lives.

use crate::chunks::{OWNER, RECORD, RECORDS};
use crate::frames::For;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::tables;
use abi::Error;
use abi::address::{DEVICE_STRIDE, DEVICE_VA, DMA_CHUNK, DMA_CHUNKS, DMA_OFFSET, PAGE};
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;

impl<R: Ram> Spaces<R> {
    /// Maps chunk `n` of `device`, of domain `asid`, full of zeros, if it is not mapped yet; its physical address. `EACCESS`: the
    /// domain has no such device; `EINVAL`: there is no such chunk; `ENOMEM`; `ENFILE`: all drivers together have too many.
    pub fn dma(&mut self, asid: usize, device: usize, n: usize) -> Result<usize, Error> {
        if device >= 8 || n >= DMA_CHUNKS {
            return Err(Error::EINVAL);
        }
        let registers = DEVICE_VA + device * DEVICE_STRIDE;
        let va = registers + DMA_OFFSET + n * DMA_CHUNK;
        let root = self.space(asid)?.root;
        let entry = tables::leaf(&self.ram, root, registers);
        if !entry.is_present() {
            return Err(Error::EACCESS);
        }
        let mapped = tables::leaf(&self.ram, root, va);
        if mapped.is_present() {
            return Ok(mapped.address());
        }
        const PAGES: usize = DMA_CHUNK / PAGE;
        self.room(asid, PAGES)?;
        // Before anything is taken: what is mapped from here on stays.
        for at in (va..va + DMA_CHUNK).step_by(PAGE) {
            self.vacant(asid, at, Part::Ordinary)?;
        }
        let key = (entry.address() / PAGE) as u64;
        let record = self.free_chunk(key)?;
        let pa = self.ram.read(record) as usize;
        self.ram.write(record + 8, key | (asid as u64) << OWNER);
        for page in (0..DMA_CHUNK).step_by(PAGE) {
            self.ram.clear(pa + page);
            self.map_at(asid, (va + page, Part::Ordinary), pa + page, Rights::READ_WRITE, Marks::empty())?;
        }
        self.count(asid, PAGES as i32)?;
        Ok(pa)
    }
    /// The record of a chunk of the device with this key that nobody has, a new one where there is none.
    fn free_chunk(&mut self, key: u64) -> Result<usize, Error> {
        if let Some(record) = self.chunks.all().find(|record| self.ram.read(record + 8) == key) {
            return Ok(record);
        }
        if self.chunks.count == RECORDS {
            return Err(Error::ENFILE);
        }
        if self.chunks.records == 0 {
            let page = self.frames.take(For::System)?;
            self.ram.clear(page);
            self.chunks.records = page;
        }
        let pa = self.frames.take_run_for_component(DMA_CHUNK / PAGE)?;
        let record = self.chunks.records + self.chunks.count * RECORD;
        self.chunks.count += 1;
        self.ram.write(record, pa as u64);
        self.ram.write(record + 8, key);
        Ok(record)
    }
    /// Domain `asid` has ended: its chunks wait for the next driver of their device.
    pub(crate) fn keep_chunks(&mut self, asid: usize) {
        for record in self.chunks.all() {
            let owned = self.ram.read(record + 8);
            if owned >> OWNER == asid as u64 {
                self.ram.write(record + 8, owned & ((1 << OWNER) - 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space_tests::{id, spaces};
    use abi::address::{IMAGE_VA, RAM_BASE};

    const REGISTERS: usize = 0x1000_1000;
    const CHUNK: usize = DEVICE_VA + DMA_OFFSET;
    fn driver(s: &mut Spaces<crate::fake::Fake>, asid: usize, registers: usize) {
        s.create(id(asid)).unwrap();
        s.pay(asid, asid).unwrap();
        s.accounts.set_limit(asid, 100).unwrap();
        s.map_device(asid, DEVICE_VA, registers, PAGE).unwrap();
    }
    #[test]
    fn a_chunk_is_contiguous_zeros_and_asked_for_twice_the_same() {
        let mut s = spaces();
        driver(&mut s, 1, REGISTERS);
        let pa = s.dma(1, 0, 3).unwrap();
        let root = s.root(1).unwrap();
        for page in (0..DMA_CHUNK).step_by(PAGE) {
            let leaf = tables::leaf(&s.ram, root, CHUNK + 3 * DMA_CHUNK + page);
            assert_eq!((leaf.address(), s.ram.read(pa + page)), (pa + page, 0));
        }
        assert_eq!(s.dma(1, 0, 3), Ok(pa));
        assert_eq!(s.check(RAM_BASE + 5 * PAGE).unwrap().err(), None);
    }
    #[test]
    fn who_has_no_device_gets_no_chunk() {
        let mut s = spaces();
        driver(&mut s, 1, REGISTERS);
        s.create(id(2)).unwrap();
        assert_eq!((s.dma(1, 1, 0), s.dma(2, 0, 0)), (Err(Error::EACCESS), Err(Error::EACCESS)));
        assert_eq!((s.dma(1, 8, 0), s.dma(1, 0, DMA_CHUNKS)), (Err(Error::EINVAL), Err(Error::EINVAL)));
    }
    #[test]
    fn the_frames_of_a_dead_driver_are_for_its_devices_next_one_only() {
        let mut s = spaces();
        driver(&mut s, 1, REGISTERS);
        let pa = s.dma(1, 0, 0).unwrap();
        s.ram.write(pa, 7);
        s.destroy(1).unwrap();
        assert!((0..DMA_CHUNK).step_by(PAGE).all(|page| !s.frames.is_free(pa + page)));
        driver(&mut s, 2, REGISTERS + PAGE);
        assert_ne!(s.dma(2, 0, 0).unwrap(), pa);
        driver(&mut s, 3, REGISTERS);
        let free = s.frames.free();
        assert_eq!((s.dma(3, 0, 5), s.ram.read(pa)), (Ok(pa), 0));
        // A table for it at most, and no frames.
        assert!(free - s.frames.free() <= 1);
        assert_eq!(s.check(RAM_BASE + 5 * PAGE).unwrap().err(), None);
    }
    #[test]
    fn a_chunk_counts_against_the_limit() {
        let mut s = spaces();
        driver(&mut s, 1, REGISTERS);
        let most = (0..).find(|&n| s.dma(1, 0, n).is_err()).unwrap();
        assert!((8..=12).contains(&most), "{most} chunks of eight pages in a hundred");
        assert_eq!(s.dma(1, 0, most), Err(Error::ENOMEM));
        s.destroy(1).unwrap();
        assert_eq!(s.accounts.of(1).unwrap().used, 0);
    }
    #[test]
    fn a_chunk_is_copied_to_nobody() {
        let mut s = spaces();
        driver(&mut s, 1, REGISTERS);
        s.dma(1, 0, 0).unwrap();
        s.create(id(2)).unwrap();
        let windows = crate::space_tests::NONE;
        assert_eq!(s.page(1, (2, IMAGE_VA, Part::Ordinary), CHUNK, Rights::READ, windows), Err(Error::EINVAL));
        assert_eq!(s.page(1, (1, CHUNK, Part::Ordinary), 0, Rights::NONE, windows), Err(Error::EINVAL));
        assert_eq!(s.frame_of(1, CHUNK), Err(Error::EFAULT));
        s.copy(1, 2, windows).unwrap();
        let root = s.root(2).unwrap();
        assert!(tables::leaf(&s.ram, root, CHUNK).is_none());
    }
}
