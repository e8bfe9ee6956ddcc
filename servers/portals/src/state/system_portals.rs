//! The code that every new domain's table starts with.

use crate::machine::nucleus_memory::NucleusMemory;
use crate::state::nucleus_data::Table;
use abi::nucleus::{domain, flags};
use abi::system;

/// Addresses of the code of each entry.
pub struct SystemPortals {
    pub system: [u64; system::FIRST_FREE],
    pub faults: [u64; 32],
    pub interrupts: [u64; 16],
}

impl SystemPortals {
    /// The kinds of domains whose code differs, by their flags.
    pub const KINDS: [u64; 3] = [0, flags::TRUSTED, flags::SUPERVISOR];
    /// Which of them a domain with these flags is.
    #[inline(always)]
    pub fn kind(of: u64) -> usize {
        (of & flags::TRUSTED != 0) as usize + 2 * (of & flags::SUPERVISOR != 0) as usize
    }
    pub const EMPTY: SystemPortals =
        SystemPortals { system: [0; system::FIRST_FREE], faults: [0; 32], interrupts: [0; 16] };
    /// Fills a domain block, whatever it had before, but for the entries from [`system::FIRST_FREE`] on: fixed entries, a record of
    /// zeros, and those of the system.
    pub fn fill<M: NucleusMemory>(&self, table: Table<M>) {
        for (number, &code) in self.faults.iter().enumerate() {
            table.set_field(domain::fault(number), code);
        }
        for (cause, &code) in self.interrupts.iter().enumerate() {
            table.set_field(domain::interrupt(cause), code);
        }
        table.clear_record();
        for (number, &code) in self.system.iter().enumerate() {
            table.set_entry(number, code);
        }
    }
}
