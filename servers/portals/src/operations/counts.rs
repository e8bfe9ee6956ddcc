//! What the portal manager has of everything, so that a leak can be seen.

use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use abi::inspect::Counts;

impl<M: Machine> Manager<M> {
    /// Counts what there is, after taking back what nobody needs any more.
    #[optimize(size)]
    pub fn counts(&mut self) -> Counts {
        self.reap();
        self.sweep();
        self.free_retired();
        let (blocks, code_bytes, users) = self.code.counts();
        let (threads, free_threads) = self.threads.counts();
        Counts {
            domains: self.domains.iter().count() as u64,
            zombies: self.remains.zombies.len() as u64,
            ended: self.ended.count() as u64,
            registrations: self.registrations.iter().count() as u64,
            blocks: blocks as u64,
            code_bytes: code_bytes as u64,
            retired: self.code.retired() as u64,
            users: users as u64,
            semaphores: self.semaphores.iter().count() as u64,
            stacks: self.domains.iter().map(|(_, d)| d.queue as u64).sum(),
            descriptors: self.descriptors.count() as u64,
            threads: threads as u64,
            free_threads: free_threads as u64,
            free_frames: self.machine.memory_info(1) as u64,
            promised_frames: self.machine.memory_info(3) as u64,
        }
    }
}
