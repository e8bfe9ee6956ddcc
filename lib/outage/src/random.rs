//! Numbers that follow from a seed: splitmix64 (Steele, Lea and Flood, 2014).

/// Where it is in its sequence; to begin with, the seed.
pub struct Random(pub u64);
impl Random {
    /// The next one.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }
    /// Below `most`, which is not 0.
    pub fn below(&mut self, most: usize) -> usize {
        (self.word() % most as u64) as usize
    }
}
