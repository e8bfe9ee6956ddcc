//! Writes instructions to a buffer: constants, absolute jumps, and branches to places that come later.
//!
//! Only forward branches can be written, so no portal can contain a loop.

use crate::encode::*;

/// Most branches that wait for their target at one time: six windows have five each.
const PENDING: usize = 48;

/// A place in the code that a branch waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Label(u8);

pub struct Emitter<'a> {
    out: &'a mut [u32],
    words: usize,
    /// Words that did not fit in `out`, or branches that did not fit in `pending`.
    overflow: bool,
    /// (label, place of the branch); the first `waiting` mean something.
    pending: [(Label, u16); PENDING],
    waiting: usize,
    labels: u8,
}

impl<'a> Emitter<'a> {
    pub fn new(out: &'a mut [u32]) -> Emitter<'a> {
        Emitter { out, words: 0, overflow: false, pending: [(Label(0), 0); PENDING], waiting: 0, labels: 0 }
    }
    /// Words written so far; `None` if something did not fit.
    pub fn words(&self) -> Option<usize> {
        (!self.overflow).then_some(self.words)
    }
    /// Bytes from the start of the buffer to the next word.
    pub fn position(&self) -> usize {
        self.words * 4
    }
    /// Overwrites word `index`.
    pub fn patch(&mut self, index: usize, word: u32) {
        match self.out.get_mut(index) {
            Some(place) => *place = word,
            None => self.overflow = true,
        }
    }
    #[inline(always)]
    pub fn put(&mut self, word: u32) {
        match self.out.get_mut(self.words) {
            Some(place) => *place = word,
            None => self.overflow = true,
        }
        self.words += 1;
    }
    /// A label for a place that comes later.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }
    /// A branch to `label`; `branch` is the instruction with offset 0.
    pub fn branch(&mut self, branch: u32, label: Label) {
        match self.pending.get_mut(self.waiting) {
            Some(place) => {
                *place = (label, self.words as u16);
                self.waiting += 1;
            }
            None => self.overflow = true,
        }
        self.put(branch);
    }
    /// The place that `label` stands for is here.
    pub fn place(&mut self, label: Label) {
        let mut index = 0;
        while index < self.waiting.min(PENDING) {
            let (waiting, at) = self.pending[index];
            if waiting != label {
                index += 1;
                continue;
            }
            self.waiting -= 1;
            self.pending[index] = self.pending[self.waiting];
            let offset = (self.words - at as usize) as i32 * 4;
            // `bne zero, zero, offset` is the offset's bits and the opcode.
            let bits = bne(ZERO, ZERO, offset) & !bne(ZERO, ZERO, 0);
            let word = self.out.get(at as usize).map_or(0, |w| w | bits);
            self.patch(at as usize, word);
        }
    }
    /// Loads a constant in as few instructions as it takes (1 to 8).
    pub fn constant(&mut self, rd: Register, value: i64) {
        if (-2048..2048).contains(&value) {
            return self.put(addi(rd, ZERO, value as i32));
        }
        let low = (value << 52 >> 52) as i32;
        if value == value as i32 as i64 {
            let upper = ((value.wrapping_sub(low as i64)) as u32) >> 12;
            self.put(lui(rd, upper));
            if low != 0 {
                self.put(addiw(rd, rd, low));
            }
            return;
        }
        let rest = value.wrapping_sub(low as i64) >> 12;
        let shift = rest.trailing_zeros();
        self.constant(rd, rest >> shift);
        self.put(slli(rd, rd, 12 + shift as i32));
        if low != 0 {
            self.put(addi(rd, rd, low));
        }
    }
    /// Loads a page-aligned supervisor address.
    pub fn page(&mut self, rd: Register, address: u64) {
        self.put(lui(rd, address as u32 >> 12));
    }
    /// Jumps to an absolute supervisor address, linking in `link`; clobbers `via`.
    pub fn jump(&mut self, link: Register, address: u64, via: Register) {
        let low = ((address as i64) << 52 >> 52) as i32;
        self.put(lui(via, (address.wrapping_sub(low as i64 as u64) as u32) >> 12));
        self.put(jalr(link, via, low));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Executes what `constant` writes.
    fn value(code: &[u32]) -> i64 {
        let mut r = 0i64;
        for &w in code {
            let immediate = (w as i32 >> 20) as i64;
            r = match (w & 0x7f, w >> 12 & 7) {
                (0x13, 0) if w >> 15 & 31 == 0 => immediate,
                (0x13, 0) => r.wrapping_add(immediate),
                (0x13, 1) => r << (immediate & 63),
                (0x1b, 0) => r.wrapping_add(immediate) as i32 as i64,
                (0x37, _) => (w & 0xffff_f000) as i32 as i64,
                _ => panic!("{w:08x}"),
            };
        }
        r
    }
    #[test]
    fn constants_of_all_sizes() {
        let mut samples =
            vec![0, 1, -1, 2047, 2048, -2048, -2049, 0x7fff_ffff, 0x8000_0000, -0x8000_0000, i64::MAX, i64::MIN];
        samples
            .extend((0..63).flat_map(|s| [1i64 << s, (1 << s) - 1, -(1 << s), 0x1234_5678_9abc_def0u64 as i64 >> s]));
        for sample in samples {
            let mut out = [0; 8];
            let mut e = Emitter::new(&mut out);
            e.constant(T0, sample);
            let words = e.words().unwrap();
            assert_eq!(value(&out[..words]), sample, "{sample:x}");
        }
    }
    #[test]
    fn what_does_not_fit_is_reported() {
        let mut out = [0; 2];
        let mut e = Emitter::new(&mut out);
        e.constant(T0, i64::MAX);
        assert_eq!(e.words(), None);
    }
}
