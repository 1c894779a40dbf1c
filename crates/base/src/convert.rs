//! Conversions between integers that say what they lose; `as` does not.
//!
//! | function | gives | loses |
//! |---|---|---|
//! | [`low8`], [`low32`], [`low64`] | the low bits of a word | the bits above |
//! | [`index`] | a size or offset of a program as one of this machine | nothing: it panics if that has no such offsets |
//! | [`count32`] | a number of things as 32 bits | nothing: it panics beyond |
//! | [`nearest32`] | a double-precision number as a single-precision one | precision, and large numbers |
//! | [`towards_zero`], [`magnitude`] | the integer part of a number | the fraction, and what 128 bits do not hold |
//!
//! Between signed and unsigned numbers of one width there are `cast_signed` and `cast_unsigned` of the standard library.

/// The low 8 bits.
pub fn low8(word: impl Into<u128>) -> u8 {
    let [byte, ..] = word.into().to_le_bytes();
    byte
}

/// The low 32 bits.
pub fn low32(word: impl Into<u128>) -> u32 {
    u32::try_from(word.into() & u128::from(u32::MAX)).expect("32 bits should fit 32 bits")
}

/// The low 64 bits.
pub fn low64(word: impl Into<u128>) -> u64 {
    u64::try_from(word.into() & u128::from(u64::MAX)).expect("64 bits should fit 64 bits")
}

/// A size, an offset or a position, to be used in this machine's memory.
pub fn index(n: u64) -> usize {
    usize::try_from(n).expect("what is in memory should have an address")
}

/// A number of things of which there are fewer than 2^32.
pub fn count32(n: usize) -> u32 {
    u32::try_from(n).expect("there should be fewer than 2^32 of anything that is counted")
}

/// The nearest single-precision number; what is too large becomes infinite.
#[allow(clippy::cast_possible_truncation)] // that is what `as` does
pub fn nearest32(x: f64) -> f32 {
    x as f32
}

/// The integer part; NaN gives 0, and what does not fit 128 bits the nearest number that does.
#[allow(clippy::cast_possible_truncation)] // that is what `as` does
pub fn towards_zero(x: f64) -> i128 {
    x as i128
}

/// The same without a sign: what is negative gives 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // that is what `as` does
pub fn magnitude(x: f64) -> u128 {
    x as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_are_kept() {
        let word = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128;
        assert_eq!((low8(word), low32(word), low64(word)), (0x10, 0x7654_3210, 0xfedc_ba98_7654_3210));
        assert_eq!((low8(0x1ff_u32), low32(u64::MAX), low64(7_u64)), (0xff, u32::MAX, 7));
        assert_eq!((index(9), count32(9)), (9, 9));
    }
}
