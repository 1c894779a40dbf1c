//! Numbers that look random and are determined by a seed.

/// SplitMix64 (Steele, Lea, Flood 2014): any seed is a good one.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One below `n`; 0 if that is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.number() % n.max(1)
    }
}
