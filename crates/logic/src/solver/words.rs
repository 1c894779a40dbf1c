//! Arithmetic on words of literals, least significant bit first.

use super::gates::Gates;
use super::sat::Lit;

/// A bit-vector as literals, least significant first.
pub(super) type Word = Vec<Lit>;

impl Gates {
    pub(super) fn constant(&self, value: u128, width: usize) -> Word {
        // Words may be wider than numbers: a remainder needs one bit more than its divisor.
        (0..width).map(|n| self.truth(n < 128 && value >> n & 1 == 1)).collect()
    }

    pub(super) fn fresh_word(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    pub(super) fn invert(&self, a: &[Lit]) -> Word {
        a.iter().map(|&l| !l).collect()
    }

    /// `a + b + carry`, a ripple-carry adder.
    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut out = Vec::with_capacity(a.len());
        for (n, (&x, &y)) in a.iter().zip(b).enumerate() {
            let half = self.xor(x, y);
            out.push(self.xor(half, carry));
            if n + 1 < a.len() {
                carry = self.majority(x, y, carry);
            }
        }
        out
    }

    pub(super) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let inverted = self.invert(b);
        self.sum(a, &inverted, self.yes())
    }

    pub(super) fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = self.constant(0, a.len());
        self.difference(&zero, a)
    }

    /// `total + factor * a`, with as few additions as the binary digits of `factor` or `-factor` allow.
    pub(super) fn add_scaled(&mut self, total: &[Lit], a: &[Lit], factor: u128) -> Word {
        let width = a.len();
        let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let negated = factor.wrapping_neg() & all;
        let subtract = negated.count_ones() < factor.count_ones();
        let digits = if subtract { negated } else { factor };
        let mut total = total.to_vec();
        for n in (0..width).filter(|n| digits >> n & 1 == 1) {
            let high = if subtract {
                self.difference(&total[n..], &a[..width - n])
            } else {
                self.sum(&total[n..], &a[..width - n], self.no())
            };
            total.truncate(n);
            total.extend(high);
        }
        total
    }

    pub(super) fn product(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len();
        let mut total = self.constant(0, width);
        for n in 0..width {
            let row: Word = a[..width - n].iter().map(|&x| self.and(x, b[n])).collect();
            let high = self.sum(&total[n..], &row, self.no());
            total.truncate(n);
            total.extend(high);
        }
        total
    }

    /// Quotient and remainder by the school method; by zero, all ones and the dividend, with no special case.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let mut quotient = self.constant(0, width);
        let mut rest = self.constant(0, width + 1);
        let mut divisor = b.to_vec();
        divisor.push(self.no());
        for n in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[n]);
            let fits = !self.less(&rest, &divisor);
            let reduced = self.difference(&rest, &divisor);
            rest = self.choose(fits, &reduced, &rest);
            quotient[n] = fits;
        }
        rest.pop();
        (quotient, rest)
    }

    /// Signed quotient and remainder, through absolute values.
    pub(super) fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (abs_a, abs_b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, rest) = self.divide(&abs_a, &abs_b);
        let sign = self.xor(sign_a, sign_b);
        (self.negate_if(sign, &quotient), self.negate_if(sign_a, &rest))
    }

    fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Word {
        let negated = self.negate(a);
        self.choose(c, &negated, a)
    }

    pub(super) fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(&x, &y)| self.mux(c, x, y)).collect()
    }

    /// `a < b`, unsigned: the borrow of the subtraction.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut borrow = self.no();
        for (&x, &y) in a.iter().zip(b) {
            borrow = self.majority(!x, y, borrow);
        }
        borrow
    }

    /// `a < b`, signed: the sign bits swap their roles.
    pub(super) fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let top = a.len() - 1;
        let below = self.less(&a[..top], &b[..top]);
        self.majority(a[top], !b[top], below)
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Word = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.and_all(&same)
    }

    /// A barrel shifter. `left` or right; `fill` comes in; amounts of the width or more give `fill` everywhere.
    pub(super) fn shift(&mut self, a: &[Lit], by: &[Lit], left: bool, fill: Lit) -> Word {
        let width = a.len();
        let mut out = a.to_vec();
        let mut too_far = self.no();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = if stage < 16 { 1usize << stage } else { usize::MAX };
            if distance >= width {
                too_far = self.or(too_far, bit);
                continue;
            }
            let moved: Word = (0..width)
                .map(|n| {
                    let from = if left { n.checked_sub(distance) } else { Some(n + distance) };
                    from.and_then(|f| out.get(f).copied()).unwrap_or(fill)
                })
                .collect();
            out = self.choose(bit, &moved, &out);
        }
        let filled = vec![fill; width];
        self.choose(too_far, &filled, &out)
    }
}
