//! Stack queues: the stacks that calls into a domain take, and the descriptors that the nucleus has them by.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::Manager;
use crate::state::nucleus_data::Table;
use abi::Error;
use abi::address::{PAGE, THREAD_STACK, supervisor};
use abi::nucleus::domain;

impl<M: Machine> Manager<M> {
    /// Adds a stack to the queue of `asid`.
    #[optimize(size)]
    pub fn add_stack(&mut self, asid: usize) -> Result<()> {
        self.domain(asid)?;
        if self.descriptors.count() == 0 {
            let page = supervisor(self.machine.nucleus_pages(1)?) as u64;
            self.descriptors.add(page, PAGE);
        }
        let top = self.machine.stack_for(asid, THREAD_STACK)?;
        let descriptor = self.descriptors.take().ok_or(Error::ENOMEM)?;
        let d = self.domain_mut(asid)?;
        d.queue += 1;
        let table = d.table;
        self.machine.write(descriptor + 8, top as u64);
        let _masked = Masked::new(self.machine);
        self.machine.write(descriptor, table.field(domain::STACKS));
        table.set_field(domain::STACKS, descriptor);
        Ok(())
    }
    pub fn free_descriptors(&mut self, table: Table<M>) {
        let mut next = table.field(domain::STACKS);
        while next != 0 {
            let descriptor = next;
            next = self.machine.read(descriptor);
            self.descriptors.put(descriptor);
        }
    }
}
