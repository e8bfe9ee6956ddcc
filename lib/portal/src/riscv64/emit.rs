//! Writes instructions to a buffer: constants, absolute jumps, and branches to places that come later.
//!
//! Only forward branches can be written, so no portal can contain a loop.

use super::encode::*;
use core::cell::Cell;

/// Words that a buffer has room for: the longest portal and more.
pub const WORDS: usize = 1024;
/// Room for one portal.
#[repr(C, align(64))]
pub struct Buffer(pub [u32; WORDS]);
impl Buffer {
    pub const EMPTY: Buffer = Buffer([0; WORDS]);
}
/// A place in the code that comes later: the last branch to it, as an index of the buffer; 0: none. Until it is placed, a branch
/// has in the bits of its offset which branch to the same place is the previous one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(u16);
impl Label {
    pub const NEW: Label = Label(0);
    /// The branch at word `at` leads here as well: what it has for an offset until then.
    #[inline(always)]
    pub fn link(&mut self, at: usize) -> u32 {
        let previous = core::mem::replace(&mut self.0, at as u16) as u32;
        previous >> 5 << 25 | (previous & 31) << 7
    }
}
/// The bits of a branch that are its offset.
pub(super) const OFFSET: u32 = 0xFE00_0F80;

/// The offset of a branch over `words` words (below [`WORDS`]).
#[inline(always)]
fn forward(words: usize) -> u32 {
    let words = words as u32;
    (words >> 3 & 63) << 25 | (words & 7) << 9 | (words >> 9 & 1) << 7
}

/// Cells, since words that are written already are patched while others are to come.
pub struct Emitter<'a> {
    all: &'a [Cell<u32>],
    /// Where no word is yet.
    rest: &'a [Cell<u32>],
    full: bool,
}
impl<'a> Emitter<'a> {
    #[inline(always)]
    pub fn new(out: &'a mut Buffer) -> Emitter<'a> {
        let all = Cell::from_mut(&mut out.0[..]).as_slice_of_cells();
        Emitter { all, rest: all, full: false }
    }
    /// Words written so far; `None` if they did not fit.
    pub fn words(&self) -> Option<usize> {
        (!self.full).then(|| self.next())
    }
    /// Index of the next word.
    #[inline(always)]
    pub fn next(&self) -> usize {
        self.all.len() - self.rest.len()
    }
    /// Bytes from the start of the buffer to the next word.
    pub fn position(&self) -> usize {
        self.next() * 4
    }
    /// Overwrites word `index`.
    #[inline(always)]
    pub fn patch(&mut self, index: usize, word: u32) {
        if let Some(place) = self.all.get(index) {
            place.set(word);
        }
    }
    #[inline(always)]
    pub fn put(&mut self, word: u32) {
        match self.rest.split_first() {
            Some((place, rest)) => {
                self.rest = rest;
                place.set(word);
            }
            None => self.full = true,
        }
    }
    /// Several words, for which room is made once.
    #[inline(always)]
    pub fn put_all<const N: usize>(&mut self, words: [u32; N]) {
        match self.rest.split_first_chunk::<N>() {
            Some((places, rest)) => {
                self.rest = rest;
                for (place, word) in places.iter().zip(words) {
                    place.set(word);
                }
            }
            None => self.full = true,
        }
    }
    /// Room for `count` words, of which as many are written as `fill` says; it is told the index of the first.
    #[inline(always)]
    pub fn put_some(&mut self, count: usize, fill: impl FnOnce(&[Cell<u32>], usize) -> usize) {
        match self.rest.get(..count) {
            Some(places) => {
                let written = fill(places, self.next());
                self.rest = self.rest.get(written..).unwrap_or(&[]);
            }
            None => self.full = true,
        }
    }
    /// A branch to `label`; `branch` is the instruction with offset 0.
    #[inline(always)]
    pub fn branch(&mut self, branch: u32, label: &mut Label) {
        self.put(branch | label.link(self.next()));
    }
    /// The place that `label` stands for is here.
    #[inline(always)]
    pub fn place(&mut self, label: Label) {
        let here = self.next();
        let mut at = label.0 as usize;
        // No branch is the first word, which belongs to the header. Each is linked to an earlier one.
        while at != 0 {
            let Some(place) = self.all.get(at) else { return };
            let word = place.get();
            place.set(word & !OFFSET | forward(here - at));
            at = (word >> 25 << 5 | word >> 7 & 31) as usize;
        }
    }
    /// Loads a constant in as few instructions as it takes (1 to 8).
    #[inline(always)]
    pub fn constant(&mut self, rd: Register, value: i64) {
        if (-2048..2048).contains(&value) {
            return self.put(addi(rd, ZERO, value as i32));
        }
        self.long_constant(rd, value);
    }
    fn long_constant(&mut self, rd: Register, value: i64) {
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
    #[inline(always)]
    pub fn page(&mut self, rd: Register, address: u64) {
        self.put(lui(rd, address as u32 >> 12));
    }
    /// Jumps to an absolute supervisor address, linking in `link`; clobbers `via`.
    #[inline(always)]
    pub fn jump(&mut self, link: Register, address: u64, via: Register) {
        self.put_all(jump(link, address, via));
    }
}
/// The one or two instructions that [`Emitter::constant`] writes for a value that takes no more, and how many they are. `register`: as
/// [`crate::Block::constant`] has it.
pub fn short_constant(register: u8, value: u32) -> Option<([u32; 2], usize)> {
    let rd = Register(register);
    let signed = i32::try_from(value).ok().filter(|value| *value < i32::MAX - 2048)?;
    if signed < 2048 {
        return Some(([addi(rd, ZERO, signed), 0], 1));
    }
    let low = signed << 20 >> 20;
    let upper = lui(rd, (signed - low) as u32 >> 12);
    Some(if low == 0 { ([upper, 0], 1) } else { ([upper, addiw(rd, rd, low)], 2) })
}
/// The instructions that jump to an absolute supervisor address.
#[inline(always)]
pub fn jump(link: Register, address: u64, via: Register) -> [u32; 2] {
    let low = ((address as i64) << 52 >> 52) as i32;
    [lui(via, (address.wrapping_sub(low as i64 as u64) as u32) >> 12), jalr(link, via, low)]
}

/// Words of the shortest cache line that is thought of. Blocks begin on lines.
pub(super) const CACHE_LINE: usize = 4;

/// `sret`, and behind it what stops fetch from running into the next cache line on cores that would wait for it: in the same line,
/// or it would have to be fetched itself.
#[inline(always)]
pub(super) fn sret(e: &mut Emitter) {
    if e.next() % CACHE_LINE == CACHE_LINE - 1 {
        e.put(addi(ZERO, ZERO, 0));
    }
    e.put_all([SRET, jal(ZERO, 0)]);
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
    fn short_constants_are_what_would_be_emitted() {
        let near = |n: u32| (-3..3).map(move |d: i32| n.wrapping_add_signed(d));
        for value in (0..32).flat_map(|bit| near(1 << bit)).chain([0, 0x801, 0x1234_5678, 0x7fff_f7ff, u32::MAX]) {
            let mut out = Buffer::EMPTY;
            let mut e = Emitter::new(&mut out);
            e.constant(Register(11), i64::from(value));
            let count = e.next();
            match short_constant(11, value) {
                Some((words, n)) => assert_eq!(out.0[..count], words[..n], "{value:x}"),
                None => assert!(value >= 0x7fff_f000, "{value:x}"),
            }
        }
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
        let (mut one, mut other) = (Label::NEW, Label::NEW);
        let mut places = Vec::new();
        for n in 0..200 {
            e.put(0);
            let label = if n % 3 == 0 { &mut one } else { &mut other };
            places.push((e.position() / 4, n % 3 == 0));
            e.branch(beq(A0, T3, 0), label);
        }
        e.place(other);
        let at_other = e.position() as i32;
        e.put(0);
        e.place(one);
        let at_one = e.position() as i32;
        for (place, first) in places {
            let to = if first { at_one } else { at_other };
            assert_eq!(out.0[place], beq(A0, T3, to - place as i32 * 4), "{place}");
        }
    }
}
