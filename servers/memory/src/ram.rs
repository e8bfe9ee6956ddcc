//! Access to physical memory.

use abi::address::PAGE;

/// Physical memory, by physical address. Callers pass addresses of RAM only, words aligned to 8.
pub trait Ram {
    fn read(&self, pa: usize) -> u64;
    fn write(&mut self, pa: usize, value: u64);
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
}

/// RAM in a vector, for tests.
#[cfg(test)]
pub struct Fake {
    pub base: usize,
    pub words: Vec<u64>,
}
#[cfg(test)]
impl Fake {
    pub fn new(pages: usize) -> Fake {
        Fake { base: abi::address::RAM_BASE, words: vec![0xdead_beef; pages * PAGE / 8] }
    }
}
#[cfg(test)]
impl Ram for Fake {
    fn read(&self, pa: usize) -> u64 {
        self.words[(pa - self.base) / 8]
    }
    fn write(&mut self, pa: usize, value: u64) {
        let base = self.base;
        self.words[(pa - base) / 8] = value;
    }
    fn pointer(&mut self, pa: usize) -> *mut u8 {
        #[repr(align(4096))]
        struct Page([u8; PAGE]);
        // A page of its own: what is kept there is not read as RAM.
        assert!(pa >= self.base);
        Box::leak(Box::new(Page([0; PAGE]))).0.as_mut_ptr()
    }
    fn store(&mut self, pa: usize, bytes: &[u8]) {
        for (n, &byte) in bytes.iter().enumerate() {
            let at = pa + n;
            let shift = at % 8 * 8;
            let word = self.read(at & !7);
            self.write(at & !7, word & !(0xff << shift) | (byte as u64) << shift);
        }
    }
}
