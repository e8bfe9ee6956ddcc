//! Numbers that follow from a seed, and what is done to bytes with them.

pub struct Random(u64);
impl Random {
    pub fn new(seed: u64) -> Random {
        // splitmix64 (Steele, Lea and Flood, 2014): neighbouring seeds have nothing in common.
        let value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Random((value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) | 1)
    }
    pub fn word(&mut self) -> u64 {
        // xorshift (Marsaglia, 2003).
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    /// Below `most`, which is not 0.
    pub fn below(&mut self, most: usize) -> usize {
        ((self.word() >> 32) as usize) % most
    }
    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.word() as u8).collect()
    }
    /// Changes one field, some bytes or the length, as often as not so that it says something extreme.
    pub fn break_bytes(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return bytes.extend(self.bytes(4));
        }
        let at = self.below(bytes.len());
        match self.below(8) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.word() as u8,
            2 => self.put_extreme(&mut bytes[at..]),
            3 => bytes.truncate(at),
            4 => {
                let count = self.below(40);
                let more = self.bytes(count);
                bytes.splice(at..at, more);
            }
            5 => {
                let end = (at + 1 + self.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            6 => {
                let end = (at + 1 + self.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let from = self.below(bytes.len());
                let count = (1 + self.below(16)).min(bytes.len() - at.max(from));
                bytes.copy_within(from..from + count, at);
            }
        }
    }
    /// A number of one, two, four or eight bytes at which others begin to be wrong, in one order of bytes or the other.
    pub fn put_extreme(&mut self, to: &mut [u8]) {
        let bits = self.one_of(&[8, 16, 32, 64]);
        let near = self.below(3) as u64;
        let value = match self.below(4) {
            0 => near,
            1 => u64::MAX.wrapping_sub(near),
            2 => (1 << (bits - 1)) - near,
            _ => 1 << self.below(bits),
        };
        let (mut bytes, count) = (value.to_le_bytes(), (bits / 8).min(to.len()));
        if self.once_in(2) {
            bytes[..bits / 8].reverse();
        }
        to[..count].copy_from_slice(&bytes[..count]);
    }
}
