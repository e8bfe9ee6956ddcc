//! The service stacks of threads, which all trusted spaces see through the same tables. They stay once they are there.

use crate::frames::For;
use crate::ram::Ram;
use crate::space::Spaces;
use abi::Error;
use abi::address::*;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index};

impl<R: Ram> Spaces<R> {
    /// Makes service stacks visible in a space.
    pub fn trust(&mut self, asid: usize) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        self.ram.set_entry(root + 8 * index(SERVICE_VA, 2), Entry::table(self.shared.service_l1));
        Ok(())
    }
    /// Entry of a page of the service stacks, in the tables that all trusted spaces share. They stay.
    fn service_entry(&mut self, va: usize) -> Result<usize, Error> {
        let at = self.shared.service_l1 + 8 * index(va, 1);
        let value = self.ram.entry(at);
        let l0 = if value.is_present() {
            value.address()
        } else {
            let new = self.frames.take(For::System)?;
            self.ram.clear(new);
            self.ram.set_entry(at, Entry::table(new));
            new
        };
        Ok(l0 + 8 * index(va, 0))
    }
    /// Maps the service stack of thread `thread`, if it is not.
    pub fn service_stack(&mut self, thread: usize) -> Result<(), Error> {
        if thread == 0 || thread >= abi::nucleus::MAX_THREADS {
            return Err(Error::EINVAL);
        }
        let top = service_top(thread);
        for va in (top - SERVICE_STACK..top).step_by(PAGE) {
            let at = self.service_entry(va)?;
            if !self.ram.entry(at).is_present() {
                let pa = self.frames.take(For::System)?;
                self.ram.clear(pa);
                self.ram.set_entry(at, Entry::user(pa, Rights::READ_WRITE, Marks::empty()));
            }
        }
        Ok(())
    }
}
