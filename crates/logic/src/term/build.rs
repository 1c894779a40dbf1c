//! The constructors: each names an operation, checks sorts in debug builds and simplifies.

use super::{Op, Sort, Term, Terms, Width, mask};

impl Terms {
    /// `true`.
    pub fn tt(&self) -> Term {
        Term(1)
    }
    /// `false`.
    pub fn ff(&self) -> Term {
        Term(0)
    }
    /// A truth constant.
    pub fn truth(&self, value: bool) -> Term {
        if value { self.tt() } else { self.ff() }
    }
    /// A constant of the sort of `variable`, cut to its width; `None` for arrays.
    pub fn constant_like(&mut self, variable: Term, value: u128) -> Option<Term> {
        match self.sort(variable) {
            Sort::Bool => Some(self.truth(value & 1 == 1)),
            Sort::Bits(width) => Some(self.constant(value, width)),
            Sort::Array { .. } => None,
        }
    }
    /// `!a`.
    pub fn not(&mut self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Bool, "not should have a truth value");
        self.make(Op::Not, &[a])
    }
    /// The conjunction of all `parts`.
    pub fn and(&mut self, parts: &[Term]) -> Term {
        debug_assert!(parts.iter().all(|&p| self.sort(p) == Sort::Bool), "and should have truth values");
        self.make(Op::And, parts)
    }
    /// `a && b`.
    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.and(&[a, b])
    }
    /// The disjunction of all `parts`.
    pub fn or(&mut self, parts: &[Term]) -> Term {
        let negated: Vec<Term> = parts.iter().map(|&p| self.not(p)).collect();
        let none = self.and(&negated);
        self.not(none)
    }
    /// `a || b`.
    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.or(&[a, b])
    }
    /// `a ==> b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let no = self.not(a);
        self.or2(no, b)
    }
    /// `a == b`, at any sort; of arrays, that all elements are equal.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "both sides of an equation should have one sort");
        self.make(Op::Eq, &[a, b])
    }
    /// `a != b`.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }
    /// `if c then a else b`, at any sort.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "both sides of a choice should have one sort");
        self.make(Op::Ite, &[c, a, b])
    }
    /// The truth value `a` as one bit.
    pub fn bool_to_bit(&mut self, a: Term) -> Term {
        let (one, zero) = (self.constant(1, 1), self.constant(0, 1));
        self.ite(a, one, zero)
    }
    /// The condition that the bit-vector `a` is not zero.
    pub fn bits_to_bool(&mut self, a: Term) -> Term {
        let zero = self.constant(0, self.width(a));
        self.ne(a, zero)
    }

    fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        debug_assert!(self.sort(a).width().is_some(), "{op:?} should have bit-vectors");
        debug_assert_eq!(self.sort(a), self.sort(b), "operands of {op:?} should have one width");
        self.make(op, &[a, b])
    }
    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Add, a, b)
    }
    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let minus = self.neg(b);
        self.add(a, minus)
    }
    /// `-a`.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let minus_one = self.constant(mask(width), width);
        self.mul(minus_one, a)
    }
    /// `a * b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Mul, a, b)
    }
    /// Unsigned quotient.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Udiv, a, b)
    }
    /// Unsigned remainder.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Urem, a, b)
    }
    /// Signed quotient, rounded towards zero.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Sdiv, a, b)
    }
    /// Signed remainder, with the dividend's sign.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Srem, a, b)
    }
    /// `~a`.
    pub fn bit_not(&mut self, a: Term) -> Term {
        self.make(Op::BitNot, &[a])
    }
    /// `a & b`.
    pub fn bit_and(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::BitAnd, a, b)
    }
    /// `a | b`.
    pub fn bit_or(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::BitOr, a, b)
    }
    /// `a ^ b`.
    pub fn bit_xor(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::BitXor, a, b)
    }
    /// `a << b`.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Shl, a, b)
    }
    /// `a >> b`, with zeros.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Lshr, a, b)
    }
    /// `a >> b`, with the sign.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Ashr, a, b)
    }
    /// `a < b`, unsigned.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Ult, a, b)
    }
    /// `a <= b`, unsigned.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Ule, a, b)
    }
    /// `a > b`, unsigned.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }
    /// `a >= b`, unsigned.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.ule(b, a)
    }
    /// `a < b`, signed.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Slt, a, b)
    }
    /// `a <= b`, signed.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Sle, a, b)
    }
    /// `a > b`, signed.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }
    /// `a >= b`, signed.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.sle(b, a)
    }
    /// `a` above `b`.
    pub fn concat(&mut self, a: Term, b: Term) -> Term {
        debug_assert!(self.width(a) + self.width(b) <= 128, "a concatenation should have at most 128 bits");
        self.make(Op::Concat, &[a, b])
    }
    /// The bits from `hi` down to `lo`.
    pub fn extract(&mut self, hi: Width, lo: Width, a: Term) -> Term {
        debug_assert!(lo <= hi && hi < self.width(a), "bits {hi}..{lo} should be in the operand");
        self.make(Op::Extract { hi, lo }, &[a])
    }
    /// `a` with zeros to `width`.
    pub fn zext(&mut self, width: Width, a: Term) -> Term {
        debug_assert!(width >= self.width(a), "an extension should not be narrower");
        self.make(Op::Zext(width), &[a])
    }
    /// `a` with its sign to `width`.
    pub fn sext(&mut self, width: Width, a: Term) -> Term {
        debug_assert!(width >= self.width(a), "an extension should not be narrower");
        self.make(Op::Sext(width), &[a])
    }
    /// `array[index]`.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.make(Op::Select, &[array, index])
    }
    /// `array` with `value` at `index`.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        debug_assert_eq!(
            self.sort(array),
            Sort::Array { index: self.width(index), element: self.width(value) },
            "a store should fit its array"
        );
        self.make(Op::Store, &[array, index, value])
    }
    /// The array with `value` everywhere.
    pub fn const_array(&mut self, index: Width, value: Term) -> Term {
        self.make(Op::ConstArray(index), &[value])
    }
}
