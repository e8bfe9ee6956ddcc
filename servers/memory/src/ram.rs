//! Access to physical memory, and to what remembers translations to it.

use abi::address::PAGE;
use abi::rights::Rights;
use arch::paging::Entry;

/// Physical memory, by physical address. Callers pass addresses of RAM only, words aligned to 8.
pub trait Ram {
    fn read(&self, pa: usize) -> u64;
    fn write(&mut self, pa: usize, value: u64);
    /// The same of a page-table entry.
    #[inline(always)]
    fn entry(&self, pa: usize) -> Entry {
        Entry::of(self.read(pa))
    }
    #[inline(always)]
    fn set_entry(&mut self, pa: usize, entry: Entry) {
        self.write(pa, entry.word());
    }
    /// Fills the page at `pa` with zeros.
    fn clear(&mut self, pa: usize) {
        for at in (pa..pa + PAGE).step_by(8) {
            self.write(at, 0);
        }
    }
    /// Copies `bytes` (a multiple of 64, both ends aligned to 8) from `from` to `to`.
    fn copy(&mut self, from: usize, to: usize, bytes: usize) {
        for at in (0..bytes).step_by(8) {
            let word = self.read(from + at);
            self.write(to + at, word);
        }
    }
    /// Writes `bytes` at `pa`, whatever its alignment.
    fn store(&mut self, pa: usize, bytes: &[u8]);
    /// Where the page at `pa` is.
    fn pointer(&mut self, pa: usize) -> *mut u8;
    /// Forgets translations of `va` in address space `asid`.
    fn flush_page(&mut self, asid: usize, va: usize);
    /// Forgets all translations of address space `asid`.
    fn flush_space(&mut self, asid: usize);
    /// What was written to frames may be executed from now on: fetches that harts have made of what was there before are forgotten.
    fn code_was_written(&mut self);
    /// The same, if what was written is in a page with these rights.
    fn written_with(&mut self, rights: Rights) {
        if rights.contains(Rights::EXECUTE) {
            self.code_was_written();
        }
    }
    /// Runs `body` with interrupts off: portal code does nothing in between.
    fn undisturbed<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T;
}
