//! Ranges of bit-vectors, signed and unsigned at once, and arithmetic on them.
//!
//! A [`Range`] is the set of words that lie in an unsigned *and* in a signed interval. Wrap-around is respected because each
//! operation is done in both views, and a view in which it could wrap around gives up; what one view knows then narrows the
//! other ([`Range::reduced`]). So `x - 1`, which is `x + 0xffffffff`, is exact in the signed view, and an index is exact in the unsigned one.
//!
//! Direction of error: every result contains all concrete results; tests try all ranges of small widths.

use base::convert::low32;
use logic::{Op, Width};

/// A set of words of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// How wide the words are.
    pub width: Width,
    /// The least, without sign.
    pub low: u128,
    /// The greatest, without sign.
    pub high: u128,
    /// The least, with sign.
    pub least: i128,
    /// The greatest, with sign.
    pub greatest: i128,
}

/// All ones of a width.
pub fn mask(width: Width) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A word as a signed number.
pub fn signed(value: u128, width: Width) -> i128 {
    let unused = 128 - u32::from(width);
    (value << unused).cast_signed() >> unused
}

fn smallest(width: Width) -> i128 {
    signed(1 << (width - 1), width)
}

fn largest(width: Width) -> i128 {
    (mask(width) >> 1).cast_signed()
}

impl Range {
    /// All words.
    pub fn all(width: Width) -> Range {
        Range { width, low: 0, high: mask(width), least: smallest(width), greatest: largest(width) }
    }

    /// One word.
    pub fn one(value: u128, width: Width) -> Range {
        let (value, number) = (value & mask(width), signed(value, width));
        Range { width, low: value, high: value, least: number, greatest: number }
    }

    /// The words between two, without sign; `None` if there are none.
    pub fn unsigned(low: u128, high: u128, width: Width) -> Option<Range> {
        Range { low, high: high.min(mask(width)), ..Range::all(width) }.reduced()
    }

    /// The words between two, with sign; `None` if there are none.
    pub fn signed(least: i128, greatest: i128, width: Width) -> Option<Range> {
        let (least, greatest) = (least.max(smallest(width)), greatest.min(largest(width)));
        Range { least, greatest, ..Range::all(width) }.reduced()
    }

    /// The only word, if there is only one.
    pub fn single(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns true if it is all words.
    pub fn is_all(&self) -> bool {
        *self == Range::all(self.width)
    }

    /// Returns true if a word is in it.
    pub fn contains(&self, value: u128) -> bool {
        let number = signed(value, self.width);
        self.low <= value && value <= self.high && self.least <= number && number <= self.greatest
    }

    /// Returns true if every word of `other` is in it.
    pub fn covers(&self, other: &Range) -> bool {
        self.low <= other.low
            && self.high >= other.high
            && self.least <= other.least
            && self.greatest >= other.greatest
    }

    /// Each view narrowed by the other; `None` if no word is left.
    pub fn reduced(self) -> Option<Range> {
        let mut range = self;
        // Twice, so that what the second view has learnt reaches the first one.
        for _ in 0..2 {
            if range.least >= 0 || range.greatest < 0 {
                let word = |number: i128| number.cast_unsigned() & mask(range.width);
                let (low, high) = (word(range.least), word(range.greatest));
                range.low = range.low.max(low);
                range.high = range.high.min(high);
            }
            let half = 1u128 << (range.width - 1);
            if range.high < half || range.low >= half {
                let (low, high) = (signed(range.low, range.width), signed(range.high, range.width));
                range.least = range.least.max(low);
                range.greatest = range.greatest.min(high);
            }
            if range.low > range.high || range.least > range.greatest {
                return None;
            }
        }
        Some(range)
    }

    /// The smallest range with both.
    pub fn join(&self, other: &Range) -> Range {
        Range {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
        }
    }

    /// The words in both.
    pub fn meet(&self, other: &Range) -> Option<Range> {
        Range {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            greatest: self.greatest.min(other.greatest),
        }
        .reduced()
    }

    /// Without one word, if that makes it smaller.
    pub fn without(&self, value: u128) -> Option<Range> {
        let mut range = *self;
        let number = signed(value, self.width);
        if range.single() == Some(value) {
            return None;
        }
        if range.low == value {
            range.low += 1;
        }
        if range.high == value {
            range.high -= 1;
        }
        if range.least == number {
            range.least += 1;
        }
        if range.greatest == number {
            range.greatest -= 1;
        }
        range.reduced()
    }

    /// A bound that moved since `self` jumps to the next threshold.
    pub fn widen(&self, newer: &Range, thresholds: &[u128]) -> Range {
        let width = self.width;
        let words = || thresholds.iter().copied().filter(|t| *t <= mask(width));
        let numbers = || words().map(|t| signed(t, width));
        let mut wide = self.join(newer);
        if newer.low < self.low {
            wide.low = words().filter(|t| *t <= newer.low).max().unwrap_or(0);
        }
        if newer.high > self.high {
            wide.high = words().filter(|t| *t >= newer.high).min().unwrap_or(mask(width));
        }
        if newer.least < self.least {
            wide.least = numbers().filter(|t| *t <= newer.least).max().unwrap_or(smallest(width));
        }
        if newer.greatest > self.greatest {
            wide.greatest = numbers().filter(|t| *t >= newer.greatest).min().unwrap_or(largest(width));
        }
        wide
    }

    // ---- arithmetic -----------------------------------------------------------------------------------------

    /// From bounds in each view, where a view that does not know says nothing.
    fn views(width: Width, unsigned: Option<(u128, u128)>, signed: Option<(i128, i128)>) -> Range {
        let mut range = Range::all(width);
        if let Some((low, high)) = unsigned.filter(|(_, high)| *high <= mask(width)) {
            (range.low, range.high) = (low, high);
        }
        let fits =
            |(least, greatest): &(i128, i128)| *least >= smallest(width) && *greatest <= largest(width);
        if let Some((least, greatest)) = signed.filter(fits) {
            (range.least, range.greatest) = (least, greatest);
        }
        range.reduced().unwrap_or_else(|| Range::all(width))
    }

    /// The sum.
    pub fn add(&self, other: &Range) -> Range {
        let unsigned = self.low.checked_add(other.low).zip(self.high.checked_add(other.high));
        // Where every sum wraps around, all do so once.
        let unsigned = match unsigned {
            Some((low, high)) if self.width < 128 && low > mask(self.width) => {
                Some((low & mask(self.width), high & mask(self.width)))
            }
            other => other,
        };
        let signed = self.least.checked_add(other.least).zip(self.greatest.checked_add(other.greatest));
        Range::views(self.width, unsigned, signed)
    }

    /// The product.
    pub fn mul(&self, other: &Range) -> Range {
        let unsigned = self.low.checked_mul(other.low).zip(self.high.checked_mul(other.high));
        let corners = [
            self.least.checked_mul(other.least),
            self.least.checked_mul(other.greatest),
            self.greatest.checked_mul(other.least),
            self.greatest.checked_mul(other.greatest),
        ];
        let corners: Option<Vec<i128>> = corners.into_iter().collect();
        let signed = corners.and_then(|c| Some((*c.iter().min()?, *c.iter().max()?)));
        Range::views(self.width, unsigned, signed)
    }

    /// An operation on two words other than sum and product.
    pub fn binary(op: Op, a: &Range, b: &Range) -> Range {
        let width = a.width;
        let all = Range::all(width);
        match op {
            Op::Udiv if b.low > 0 => Range::views(width, Some((a.low / b.high, a.high / b.low)), None),
            Op::Urem if b.low > 0 && a.high < b.low => *a,
            Op::Urem if b.low > 0 => Range::views(width, Some((0, a.high.min(b.high - 1))), None),
            Op::Sdiv if b.least > 0 => {
                let corners =
                    [a.least / b.least, a.least / b.greatest, a.greatest / b.least, a.greatest / b.greatest];
                let bounds = corners.iter().min().copied().zip(corners.iter().max().copied());
                Range::views(width, None, bounds)
            }
            Op::Srem if b.least > 0 => {
                let most = b.greatest - 1;
                let least = if a.least < 0 { (-most).max(a.least) } else { 0 };
                let greatest = if a.greatest > 0 { most.min(a.greatest) } else { 0 };
                Range::views(width, None, Some((least, greatest)))
            }
            Op::BitAnd => Range::views(width, Some((0, a.high.min(b.high))), None),
            Op::BitOr => Range::views(width, Some((a.low.max(b.low), ones(a.high | b.high))), None),
            Op::BitXor => Range::views(width, Some((0, ones(a.high | b.high))), None),
            Op::Shl => match b.single() {
                Some(by) if by < u128::from(width) => a.mul(&Range::one(1 << by, width)),
                Some(_) => Range::one(0, width),
                None => all,
            },
            Op::Lshr => match b.single() {
                Some(by) if by < u128::from(width) => {
                    Range::views(width, Some((a.low >> by, a.high >> by)), None)
                }
                Some(_) => Range::one(0, width),
                None => Range::views(width, Some((0, a.high)), None),
            },
            Op::Ashr => match b.single() {
                Some(by) => {
                    let by = low32(by.min(127));
                    Range::views(width, None, Some((a.least >> by, a.greatest >> by)))
                }
                None if a.least >= 0 => Range::views(width, None, Some((0, a.greatest))),
                None => all,
            },
            _ => all,
        }
    }

    /// All bits inverted.
    pub fn inverted(&self) -> Range {
        let unsigned = (mask(self.width) - self.high, mask(self.width) - self.low);
        Range::views(self.width, Some(unsigned), Some((-1 - self.greatest, -1 - self.least)))
    }

    /// The low bits.
    pub fn truncated(&self, width: Width) -> Range {
        Range::views(width, Some((self.low, self.high)), Some((self.least, self.greatest)))
    }

    /// Bits `hi` to `lo`.
    pub fn extracted(&self, hi: Width, lo: Width) -> Range {
        let down = match lo {
            0 => *self,
            _ => Range::views(self.width, Some((self.low >> lo, self.high >> lo)), None),
        };
        down.truncated(hi - lo + 1)
    }

    /// With zeros above.
    pub fn zero_extended(&self, width: Width) -> Range {
        Range::views(width, Some((self.low, self.high)), None)
    }

    /// With the sign above.
    pub fn sign_extended(&self, width: Width) -> Range {
        Range::views(width, None, Some((self.least, self.greatest)))
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &Range) -> Range {
        let join = |high: u128, rest: u128| high << low.width | rest;
        let unsigned = (join(self.low, low.low), join(self.high, low.high));
        Range::views(self.width + low.width, Some(unsigned), None)
    }

    /// Whether a comparison holds, if that is the same for all words.
    pub fn compare(op: Op, a: &Range, b: &Range) -> Option<bool> {
        match op {
            Op::Eq => match a.meet(b) {
                None => Some(false),
                Some(_) => a.single().zip(b.single()).map(|(a, b)| a == b).filter(|same| *same),
            },
            Op::Ult => decided(a.high < b.low, a.low >= b.high),
            Op::Ule => decided(a.high <= b.low, a.low > b.high),
            Op::Slt => decided(a.greatest < b.least, a.least >= b.greatest),
            Op::Sle => decided(a.greatest <= b.least, a.least > b.greatest),
            _ => None,
        }
    }
}

fn decided(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// All ones up to the highest one.
fn ones(value: u128) -> u128 {
    if value == 0 { 0 } else { u128::MAX >> value.leading_zeros() }
}
