//! Access to the nucleus's data: all that the portal manager reads and writes that is not its own.
//!
//! On the machine the pages are mapped in the portal manager's address space (`hart.rs`); for tests on the host they are a vector
//! (`fake.rs`). Other threads read and write the same words from portal code, but never in parallel: there is one hart, and each
//! access here is one load or store. What needs more than one store is done under [`Masked`].

use abi::boot::BootInfo;
use core::fmt::Debug;
use portal::emit::Buffer;

/// The nucleus's data. Supervisor addresses that are passed are of its pages, physical ones of the code regions.
pub trait NucleusMemory: Copy + Eq + Debug {
    /// What the image builder laid out.
    fn info(self) -> &'static BootInfo;
    /// The word at supervisor address `address`, a multiple of 8.
    fn read(self, address: u64) -> u64;
    fn write(self, address: u64, value: u64);
    /// The half word at supervisor address `address`, a multiple of 4.
    fn read_half(self, address: u64) -> u32;
    fn write_half(self, address: u64, value: u32);
    /// Makes `count` words, a multiple of 8, from `address` on `value`.
    fn fill(self, address: u64, count: usize, value: u64);
    /// Makes `count` words from `address` on 0.
    fn clear(self, address: u64, count: usize);
    /// Copies `bytes`, a multiple of 64, of a new portal block to physical address `pa`, which is a multiple of 64, and makes it
    /// visible to fetch. What is behind the block's last word is never reached.
    fn write_code(self, pa: usize, block: &Buffer, bytes: usize);
    /// Makes words of code visible to fetch that were written where nobody executes it.
    fn sync_code(self);
    /// Turns interrupts off, or on again.
    fn mask_interrupts(self, off: bool);
    /// Interrupts were off until here for somebody who looks for what must not be: a machine that measures for how long they are
    /// off does not count it.
    fn uncount_masked(self);
}

/// Interrupts are off while this lives.
pub struct Masked<M: NucleusMemory>(M);
impl<M: NucleusMemory> Masked<M> {
    #[inline(always)]
    pub fn new(machine: M) -> Masked<M> {
        machine.mask_interrupts(true);
        Masked(machine)
    }
    /// Calls the scheduler, which is entered with interrupts still off: nothing has happened since they were turned off. They are
    /// on when it returns.
    #[inline(always)]
    pub fn enter_scheduler(self, call: impl FnOnce() -> isize) {
        call();
    }
}
impl<M: NucleusMemory> Drop for Masked<M> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.mask_interrupts(false);
    }
}
