//! The physical memory of an image while it is laid out: a page allocator over one buffer, and page tables in it.

use abi::address::PAGE;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index};

/// What pages of an image hold: its name in `./pebble bench footprint`, and physical addresses.
pub type Use = (String, std::ops::Range<usize>);

/// Name of the use of pages for page tables.
pub const PAGE_TABLES: &str = "page tables";

/// RAM from `base`; pages are given out from `start` up.
pub struct Memory {
    base: usize,
    next: usize,
    bytes: Vec<u8>,
    uses: Vec<Use>,
}
impl Memory {
    pub fn new(base: usize, start: usize) -> Memory {
        Memory { base, next: start, bytes: vec![0; start - base], uses: Vec::new() }
    }
    /// Physical address of `count` consecutive new pages, which are used for `what`.
    pub fn pages(&mut self, count: usize, what: &str) -> usize {
        let pa = self.next;
        self.uses.push((what.into(), pa..pa + count * PAGE));
        self.next += count * PAGE;
        self.bytes.resize(self.next - self.base, 0);
        pa
    }
    /// The first address that was not given out.
    pub fn end(&self) -> usize {
        self.next
    }
    /// The contents, and what each page is used for.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Use>) {
        (self.bytes, self.uses)
    }
    pub fn write(&mut self, pa: usize, bytes: &[u8]) {
        let at = pa - self.base;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }
    pub fn write_u32(&mut self, pa: usize, value: u32) {
        self.write(pa, &value.to_le_bytes());
    }
    pub fn write_u64(&mut self, pa: usize, value: u64) {
        self.write(pa, &value.to_le_bytes());
    }
    pub fn read_u64(&self, pa: usize) -> u64 {
        let at = pa - self.base;
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap())
    }
    pub fn entry(&self, pa: usize) -> Entry {
        Entry::of(self.read_u64(pa))
    }
    pub fn set_entry(&mut self, pa: usize, entry: Entry) {
        self.write_u64(pa, entry.word());
    }
    /// The table that entry `place` of `table` points to; made if there is none.
    fn subtable(&mut self, table: usize, place: usize) -> usize {
        let entry = self.entry(table + 8 * place);
        if !entry.is_none() {
            return entry.address();
        }
        let new = self.pages(1, PAGE_TABLES);
        self.set_entry(table + 8 * place, Entry::table(new));
        new
    }
    /// Makes the leaves of `va` in the address space with root table `root` those of the table at `l0`.
    pub fn join(&mut self, root: usize, va: usize, l0: usize) {
        let l1 = self.subtable(root, index(va, 2));
        self.set_entry(l1 + 8 * index(va, 1), Entry::table(l0));
    }
    /// A level-1 table that maps `count` pages at `va` to `pa`, for reading and as not the space's own, all in one table of leaves.
    pub fn table_of_leaves(&mut self, va: usize, pa: usize, count: usize) -> usize {
        let l1 = self.pages(1, PAGE_TABLES);
        let l0 = self.subtable(l1, index(va, 1));
        for n in 0..count {
            let entry = Entry::user(pa + n * PAGE, Rights::READ, Marks::FOREIGN);
            self.set_entry(l0 + 8 * (index(va, 0) + n), entry);
        }
        l1
    }
    /// Maps the page at `va` of the address space with root table `root` to `pa`, for user mode.
    pub fn map(&mut self, root: usize, va: usize, pa: usize, (rights, marks): (Rights, Marks)) {
        let l1 = self.subtable(root, index(va, 2));
        let l0 = self.subtable(l1, index(va, 1));
        self.set_entry(l0 + 8 * index(va, 0), Entry::user(pa, rights, marks));
    }
    /// The same for `count` pages.
    pub fn map_range(&mut self, root: usize, va: usize, pa: usize, count: usize, with: (Rights, Marks)) {
        for n in 0..count {
            self.map(root, va + n * PAGE, pa + n * PAGE, with);
        }
    }
    /// Maps 2 MiB at `va` (both aligned to it), for user mode.
    pub fn map_mega(&mut self, root: usize, va: usize, pa: usize, (rights, marks): (Rights, Marks)) {
        let l1 = self.subtable(root, index(va, 2));
        self.set_entry(l1 + 8 * index(va, 1), Entry::user(pa, rights, marks).large(1));
    }
    /// Where `va` is mapped, walking the tables as the hart does.
    #[cfg(test)]
    pub fn translate(&self, root: usize, va: usize) -> Option<(usize, Rights)> {
        let mut table = root;
        for level in (0..arch::paging::LEVELS).rev() {
            let entry = self.entry(table + 8 * index(va, level));
            if !entry.is_present() {
                return None;
            }
            if entry.is_page() {
                let size = 1 << (12 + 9 * level);
                return Some((entry.address() + va % size, entry.rights()));
            }
            table = entry.address();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_is_mapped_translates() {
        let mut m = Memory::new(0x8020_0000, 0x8040_0000);
        let root = m.pages(1, PAGE_TABLES);
        let page = m.pages(2, "data");
        m.map_range(root, 0x10000, page, 2, (Rights::READ, Marks::empty()));
        m.map_mega(root, 0x4000_0000, 0x8020_0000, (Rights::READ_EXECUTE, Marks::empty()));
        assert_eq!(m.translate(root, 0x11008), Some((page + PAGE + 8, Rights::READ)));
        assert_eq!(m.translate(root, 0x4012_3456).unwrap().0, 0x8032_3456);
        assert_eq!(m.translate(root, 0x12000), None);
    }
}
