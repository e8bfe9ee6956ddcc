//! Free stack descriptors, in a list through their own first words: who ends frees some, and must not need memory for that.

use crate::machine::nucleus_memory::NucleusMemory;
use abi::nucleus::StackDescriptor;

pub struct StackDescriptors<M> {
    memory: M,
    /// Supervisor address of the first, or 0.
    first: u64,
    count: usize,
}
impl<M: NucleusMemory> StackDescriptors<M> {
    pub const fn new(memory: M) -> StackDescriptors<M> {
        StackDescriptors { memory, first: 0, count: 0 }
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
    /// One that nobody uses any more.
    pub fn put(&mut self, descriptor: u64) {
        self.memory.write(descriptor, self.first);
        (self.first, self.count) = (descriptor, self.count + 1);
    }
    /// One for a stack.
    pub fn take(&mut self) -> Option<u64> {
        let descriptor = self.first;
        if descriptor == 0 {
            return None;
        }
        (self.first, self.count) = (self.memory.read(descriptor), self.count - 1);
        Some(descriptor)
    }
    /// Makes some of `bytes` of the nucleus's data at `start`.
    #[optimize(size)]
    pub fn add(&mut self, start: u64, bytes: usize) {
        (start..start + bytes as u64).step_by(size_of::<StackDescriptor>()).for_each(|at| self.put(at));
    }
}
