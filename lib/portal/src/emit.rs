//! Writes instructions to a buffer: constants, absolute jumps, and branches to places that come later.
//!
//! Only forward branches can be written, so no portal can contain a loop.

use crate::encode::*;

/// Words that a buffer has room for: the longest portal and more.
pub const WORDS: usize = 1024;
/// Room for one portal.
#[repr(C, align(64))]
pub struct Buffer(pub [u32; WORDS]);
impl Buffer {
    pub const EMPTY: Buffer = Buffer([0; WORDS]);
}
/// Most labels of one portal.
const LABELS: usize = 20;

/// A place in the code that branches wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(u8);
impl Label {
    pub const NONE: Label = Label(u8::MAX);
}

/// Until its label is placed, a branch has in its offset how far from the buffer's start the label's previous branch is.
pub struct Emitter<'a> {
    out: &'a mut Buffer,
    words: usize,
    /// The last branch to each label, as an index of `out`; 0: none.
    branches: [u16; LABELS],
    labels: u8,
}

/// The bits of a branch that are its offset.
const OFFSET: u32 = 0xFE00_0F80;
/// `offset` in the place that it has in a branch.
fn in_branch(offset: i32) -> u32 {
    bne(ZERO, ZERO, offset) & OFFSET
}
/// The other way round, for what is not negative.
fn of_branch(word: u32) -> usize {
    ((word >> 7 & 0x1e) | (word >> 20 & 0x7e0) | (word << 4 & 0x800)) as usize
}

impl<'a> Emitter<'a> {
    pub fn new(out: &'a mut Buffer) -> Emitter<'a> {
        Emitter { out, words: 0, branches: [0; LABELS], labels: 0 }
    }
    /// Words written so far; `None` if something did not fit.
    pub fn words(&self) -> Option<usize> {
        (self.words <= WORDS && self.labels as usize <= LABELS).then_some(self.words)
    }
    /// Bytes from the start of the buffer to the next word.
    pub fn position(&self) -> usize {
        self.words * 4
    }
    /// Overwrites word `index`.
    #[inline(always)]
    pub fn patch(&mut self, index: usize, word: u32) {
        // What is too long goes round, and is reported at the end: no check at every word.
        const { assert!(WORDS.is_power_of_two()) };
        self.out.0[index % WORDS] = word;
    }
    #[inline(always)]
    pub fn put(&mut self, word: u32) {
        self.patch(self.words, word);
        self.words += 1;
    }
    /// Several words, for which room is made once.
    #[inline(always)]
    pub fn put_all<const N: usize>(&mut self, words: [u32; N]) {
        let start = self.words;
        self.words += N;
        if let Some(places) = self.out.0.get_mut(start..start + N) {
            for (place, word) in places.iter_mut().zip(words) {
                *place = word;
            }
        }
    }
    /// A label for a place that comes later.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }
    /// A branch to `label`; `branch` is the instruction with offset 0.
    #[inline(always)]
    pub fn branch(&mut self, branch: u32, label: Label) {
        let last = &mut self.branches[label.0 as usize % LABELS];
        let word = branch | in_branch(*last as i32 * 4);
        *last = self.words as u16;
        self.put(word);
    }
    /// The place that `label` stands for is here.
    pub fn place(&mut self, label: Label) {
        let mut at = self.branches[label.0 as usize % LABELS] as usize;
        // No branch is the first word, which belongs to the header.
        for _ in 0..WORDS {
            if at == 0 {
                break;
            }
            let word = self.out.0[at % WORDS];
            let offset = (self.words - at) as i32 * 4;
            self.patch(at, word & !OFFSET | in_branch(offset));
            at = of_branch(word) / 4;
        }
        self.branches[label.0 as usize % LABELS] = 0;
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
            let mut out = Buffer::EMPTY;
            let mut e = Emitter::new(&mut out);
            e.constant(T0, sample);
            let words = e.words().unwrap();
            assert_eq!(value(&out.0[..words]), sample, "{sample:x}");
        }
    }
    #[test]
    fn what_does_not_fit_is_reported() {
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        (0..WORDS).for_each(|_| e.put(0));
        assert_eq!(e.words(), Some(WORDS));
        e.put(0);
        assert_eq!(e.words(), None);
    }
    #[test]
    fn branches_reach_their_labels() {
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        let (one, other) = (e.label(), e.label());
        let mut places = Vec::new();
        for n in 0..200 {
            e.put(0);
            let label = if n % 3 == 0 { one } else { other };
            places.push((e.position() / 4, label));
            e.branch(beq(A0, T3, 0), label);
        }
        e.place(other);
        let at_other = e.position() as i32;
        e.put(0);
        e.place(one);
        let at_one = e.position() as i32;
        for (place, label) in places {
            let to = if label == one { at_one } else { at_other };
            assert_eq!(out.0[place], beq(A0, T3, to - place as i32 * 4), "{place}");
        }
    }
}
