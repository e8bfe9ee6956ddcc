//! Which of the ways to change what is visible a call from a domain of protection to its task takes: the task's own address space, or a
//! patch of the caller's ([`abi::patch`]).

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use abi::address::supervisor;
use abi::nucleus::{domain, flags};
use portal::End;

impl<M: Machine> Manager<M> {
    /// Domain `asid` has been made, a domain of protection: its calls to its task may patch from now on, if its flags say so. Without memory for that, they go
    /// to the other address space.
    #[optimize(size)]
    pub fn start_patching(&mut self, asid: usize) {
        if self.domain(asid).is_ok_and(|domain| domain.flags & flags::PATCHES != 0) {
            let _ = self.make_patch(asid);
        }
    }
    /// The end of `caller`, whose calls may patch, in a portal to domain `server` that is generated: only calls to its task do. Where that depends on what they
    /// cost, what the domain touches counts from now on.
    #[cold]
    #[inline(never)]
    #[optimize(size)]
    pub(crate) fn patching(&mut self, caller: End, server: usize) -> End {
        let by = caller.asid as usize;
        if self.task_of(by) != server {
            return End { flags: caller.flags & !flags::PATCHES, ..caller };
        }
        if caller.flags & flags::CHEAPEST != 0 {
            let _ = self.make_patch(by);
        }
        caller
    }
    /// Has the memory manager make the patch of domain `asid`, or begin with it anew.
    fn make_patch(&mut self, asid: usize) -> Result<()> {
        let task = self.task_of(asid);
        let (d, callee) = (self.domain(asid)?, self.domain(task)?.table.address());
        let (table, cheapest) = (d.table, d.flags & flags::CHEAPEST != 0);
        self.freeze(asid);
        let patch = self.machine.view_patch(asid, callee, cheapest, self.open_windows.window());
        self.thaw(asid);
        table.set_field(domain::PATCH, supervisor(patch?) as u64);
        Ok(())
    }
}
