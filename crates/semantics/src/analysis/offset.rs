//! Where in an object an address can point: exactly somewhere, to every `stride`-th byte, or anywhere.
//!
//! An [`Offset`] stands for a set of numbers: `start + k * stride` for *every* integer `k`, negative ones included,
//! because C lets a pointer into the middle of an array walk both ways. The `start` that is kept is therefore no bound
//! but a hint (where an array seems to begin) that only [`layout`](super::layout) makes use of, under a guard.
//!
//! # Direction of error
//! Sets may be too large, never too small, except that `index * constant` is taken not to wrap around: where it
//! does, C gives the pointer no meaning (C11 6.5.6p8).

use base::convert::low64;

/// A set of numbers: offsets within an object, or the values of an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Offset {
    /// This one.
    Exactly(i64),
    /// `start + k * stride` for all integers `k`.
    Strided {
        /// One of them, the lowest that is known to be meant; not negative.
        start: i64,
        /// The distance of neighbours, at least 1.
        stride: u64,
    },
    /// All of them, in no order: what is left of an address after arithmetic that is not indexing.
    Any,
}

/// A number of which nothing is known.
pub(super) const EVERY: Offset = Offset::Strided { start: 0, stride: 1 };

/// How many bytes from here on: nothing is larger.
pub const WHOLE: u64 = u64::MAX;

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Offset {
    /// `start + k * stride`; a stride of 0 means `start` alone.
    pub fn new(start: i64, stride: u64) -> Offset {
        match stride {
            0 => Offset::Exactly(start),
            _ if start < 0 => Offset::Strided { start: remainder(start, stride), stride },
            _ => Offset::Strided { start, stride },
        }
    }

    /// One of the numbers.
    pub fn start(self) -> i64 {
        match self {
            Offset::Exactly(start) | Offset::Strided { start, .. } => start,
            Offset::Any => 0,
        }
    }

    /// The distance of neighbours; 0 if there is only one number.
    pub fn stride(self) -> u64 {
        match self {
            Offset::Exactly(_) => 0,
            Offset::Strided { stride, .. } => stride,
            Offset::Any => 1,
        }
    }

    /// The number, if there is only one.
    pub fn as_signed(self) -> Option<i64> {
        if let Offset::Exactly(number) = self { Some(number) } else { None }
    }

    /// The number, if there is only one and it is not negative.
    pub fn as_exact(self) -> Option<u64> {
        self.as_signed().and_then(|number| u64::try_from(number).ok())
    }

    /// All sums.
    pub fn plus(self, other: Offset) -> Offset {
        if self == Offset::Any || other == Offset::Any {
            return Offset::Any;
        }
        let start = self.start().wrapping_add(other.start());
        Offset::new(start, gcd(self.stride(), other.stride()))
    }

    /// All differences.
    pub fn minus(self, other: Offset) -> Offset {
        if self == Offset::Any || other == Offset::Any {
            return Offset::Any;
        }
        let start = self.start().wrapping_sub(other.start());
        Offset::new(start, gcd(self.stride(), other.stride()))
    }

    /// All products with `factor`.
    pub fn times(self, factor: i64) -> Offset {
        let stride = self.stride().checked_mul(factor.unsigned_abs());
        stride.map_or(EVERY, |stride| Offset::new(self.start().wrapping_mul(factor), stride))
    }

    /// The least such set that holds both.
    pub fn join(self, other: Offset) -> Offset {
        if self == Offset::Any || other == Offset::Any {
            return Offset::Any;
        }
        let apart = self.start().abs_diff(other.start());
        let start = self.start().min(other.start());
        Offset::new(start, gcd(gcd(self.stride(), other.stride()), apart))
    }

    /// Returns true if `other` is a part of this set and starts no earlier (or before the object, where nothing is).
    pub fn includes(self, other: Offset) -> bool {
        match self {
            Offset::Exactly(_) => self == other,
            Offset::Any => true,
            Offset::Strided { start, stride } => {
                (other.start() >= start || other.start() < 0)
                    && other.stride().is_multiple_of(stride)
                    && other.start().abs_diff(start).is_multiple_of(stride)
            }
        }
    }

    /// Returns true if `number` is in the set.
    pub fn contains(self, number: i64) -> bool {
        match self {
            Offset::Exactly(start) => start == number,
            _ => number.abs_diff(self.start()).is_multiple_of(self.stride()),
        }
    }

    /// Returns true if `bytes` bytes at one of these offsets can meet `other_bytes` bytes at one of `other`.
    pub fn overlaps(self, bytes: u64, other: Offset, other_bytes: u64) -> bool {
        if bytes == 0 || other_bytes == 0 {
            return false;
        }
        let stride = gcd(self.stride(), other.stride());
        let (here, there) = (i128::from(self.start()), i128::from(other.start()));
        if stride == 0 {
            return here < there + i128::from(other_bytes) && there < here + i128::from(bytes);
        }
        let apart = low64((there - here).rem_euclid(i128::from(stride)).cast_unsigned());
        apart < bytes || other_bytes > stride - apart
    }
}

pub(super) fn remainder(number: i64, modulus: u64) -> i64 {
    low64(i128::from(number).rem_euclid(i128::from(modulus)).cast_unsigned()).cast_signed()
}

/// How many offsets of one object a set keeps apart.
const MAX_OFFSETS: usize = 32;

/// A bounded union of [`Offset`]s, sorted; none includes another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Offsets(Vec<Offset>);

impl Offsets {
    /// Just this one.
    pub fn of(offset: Offset) -> Offsets {
        Offsets(vec![offset])
    }

    /// All of them, exact ones first.
    pub fn iter(&self) -> impl Iterator<Item = Offset> {
        self.0.iter().copied()
    }

    /// Adds `offset`, unless it is included; returns what was added. When there are too many, they become one that includes all.
    pub fn insert(&mut self, offset: Offset) -> Option<Offset> {
        if self.0.iter().any(|known| known.includes(offset)) {
            return None;
        }
        let offset = match offset {
            // A pointer that runs down through an array would lower the start step by step.
            Offset::Strided { start, stride }
                if self.0.iter().any(|k| k.stride() > 0 && offset.includes(*k)) =>
            {
                Offset::new(remainder(start, stride), stride)
            }
            other => other,
        };
        self.0.retain(|known| !offset.includes(*known));
        let at = self.0.partition_point(|known| *known < offset);
        self.0.insert(at, offset);
        if self.0.len() > MAX_OFFSETS {
            let all = self.0.iter().copied().reduce(Offset::join).unwrap_or(Offset::Any);
            self.0 = vec![all];
            return Some(all);
        }
        Some(offset)
    }
}
