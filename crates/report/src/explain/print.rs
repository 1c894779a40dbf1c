//! Terms in the words of the source: `m == 1 && counter <= n`.
//!
//! Nearly C. Comparisons and divisions of unsigned numbers are written with a `u` (`x < 5u`, `x /u y`), because a term
//! knows no types of variables; conversions to a wider type are left out.

use logic::term::Op;
use logic::{Symbol, Term, Terms};

/// What a printer has to be told: the names of things.
pub trait Words {
    /// A state variable that is no array.
    fn variable(&self, symbol: Symbol) -> String;
    /// The element at a constant byte offset, or `None` if the array is none of ours.
    fn element(&self, symbol: Symbol, offset: u128) -> Option<String>;
    /// The element whose byte offset has this text.
    fn element_at(&self, symbol: Symbol, offset: &str) -> String;
    /// How many bytes lie between two elements.
    fn stride(&self, symbol: Symbol) -> Option<u128>;
    /// The object at an address, if a number of this width can be one.
    fn address(&self, value: u128, width: u8) -> Option<String>;
}

const OR: u8 = 2;
const AND: u8 = 3;
const BITS: u8 = 5;
const COMPARISON: u8 = 7;
const SHIFT: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const UNARY: u8 = 12;
/// Deeper terms are not worth reading.
const MAX_DEPTH: u32 = 40;

/// The text of terms.
pub struct Printer<'a, W> {
    pub terms: &'a Terms,
    pub words: W,
}

/// What is on both sides of a comparison, and how the sides compare.
#[derive(Clone, Copy)]
struct Comparison {
    sign: &'static str,
    /// The same with the sides swapped.
    swapped: &'static str,
    /// The opposite.
    negated: &'static str,
    negated_swapped: &'static str,
    unsigned: bool,
}

const EQUAL: Comparison =
    Comparison { sign: "==", swapped: "==", negated: "!=", negated_swapped: "!=", unsigned: false };
const LESS: Comparison =
    Comparison { sign: "<", swapped: ">", negated: ">=", negated_swapped: "<=", unsigned: false };
const AT_MOST: Comparison =
    Comparison { sign: "<=", swapped: ">=", negated: ">", negated_swapped: "<", unsigned: false };

impl<W: Words> Printer<'_, W> {
    /// A term of any sort.
    pub fn text(&self, term: Term) -> String {
        self.show(term, 0, MAX_DEPTH)
    }

    fn show(&self, t: Term, outer: u8, depth: u32) -> String {
        let Some(deeper) = depth.checked_sub(1) else { return "…".to_owned() };
        if let Some(comparison) = self.comparison(t) {
            return wrap(self.compared(t, comparison, false, deeper), COMPARISON, outer);
        }
        let kids = self.terms.kids(t);
        let inner = |n: usize, level: u8| self.show(kids[n], level, deeper);
        let infix = |sign: &str, level: u8| {
            let parts: Vec<String> = kids.iter().map(|k| self.show(*k, level + 1, deeper)).collect();
            wrap(parts.join(&format!(" {sign} ")), level, outer)
        };
        match self.terms.op(t) {
            Op::Bool(value) => value.to_string(),
            Op::Const(value) => self.constant(value, self.terms.width(t)),
            Op::Var(symbol) => self.words.variable(symbol),
            Op::Not => self.negated(kids[0], outer, deeper),
            Op::And => infix("&&", AND),
            Op::Ite => wrap(format!("{} ? {} : {}", inner(0, OR + 1), inner(1, OR), inner(2, OR)), 1, outer),
            Op::Add => wrap(self.sum(kids, deeper), SUM, outer),
            Op::Mul => self.product(t, outer, deeper),
            Op::Udiv => infix("/u", PRODUCT),
            Op::Urem => infix("%u", PRODUCT),
            Op::Sdiv => infix("/", PRODUCT),
            Op::Srem => infix("%", PRODUCT),
            Op::BitNot => format!("~{}", inner(0, UNARY)),
            Op::BitAnd => infix("&", BITS),
            Op::BitOr => infix("|", BITS),
            Op::BitXor => infix("^", BITS),
            Op::Shl => infix("<<", SHIFT),
            Op::Lshr => infix(">>u", SHIFT),
            Op::Ashr => infix(">>", SHIFT),
            Op::Concat => infix("++", SHIFT),
            Op::Extract { hi, lo: 0 } => format!("(uint{}_t){}", hi + 1, inner(0, UNARY)),
            Op::Extract { hi, lo } => format!("{}[{hi}:{lo}]", inner(0, UNARY)),
            Op::Zext(_) | Op::Sext(_) => self.show(kids[0], outer, deeper),
            Op::Select => self.select(kids[0], kids[1], deeper),
            Op::Store => format!("{} with [{}] = {}", inner(0, UNARY), inner(1, 0), inner(2, SUM)),
            Op::ConstArray(_) => format!("{{{}, …}}", inner(0, 0)),
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => unreachable!("comparisons were shown above"),
        }
    }

    fn comparison(&self, t: Term) -> Option<Comparison> {
        match self.terms.op(t) {
            Op::Eq => Some(EQUAL),
            Op::Slt => Some(LESS),
            Op::Sle => Some(AT_MOST),
            Op::Ult => Some(Comparison { unsigned: true, ..LESS }),
            Op::Ule => Some(Comparison { unsigned: true, ..AT_MOST }),
            _ => None,
        }
    }

    /// A comparison, or its opposite; a constant stands on the right.
    fn compared(&self, t: Term, comparison: Comparison, negated: bool, depth: u32) -> String {
        let (left, right) = (self.terms.kid(t, 0), self.terms.kid(t, 1));
        let swap = self.terms.as_const(left).is_some();
        let (left, right) = if swap { (right, left) } else { (left, right) };
        let sign = match (negated, swap) {
            (false, false) => comparison.sign,
            (false, true) => comparison.swapped,
            (true, false) => comparison.negated,
            (true, true) => comparison.negated_swapped,
        };
        let (left, text) = (self.show(left, COMPARISON + 1, depth), self.show(right, COMPARISON + 1, depth));
        match (comparison.unsigned, self.terms.as_const(right)) {
            (false, _) => format!("{left} {sign} {text}"),
            (true, Some(value)) => format!("{left} {sign} {value}u"),
            (true, None) => format!("{left} {sign}u {text}"),
        }
    }

    fn negated(&self, t: Term, outer: u8, depth: u32) -> String {
        if let Some(comparison) = self.comparison(t) {
            return wrap(self.compared(t, comparison, true, depth), COMPARISON, outer);
        }
        match self.terms.op(t) {
            Op::And => {
                let parts = self.terms.kids(t).iter().map(|k| match self.terms.op(*k) {
                    Op::Not => self.show(self.terms.kid(*k, 0), OR + 1, depth),
                    _ => self.negated(*k, OR + 1, depth),
                });
                wrap(parts.collect::<Vec<_>>().join(" || "), OR, outer)
            }
            _ => format!("!{}", self.show(t, UNARY, depth)),
        }
    }

    fn constant(&self, value: u128, width: u8) -> String {
        let unused = 128 - u32::from(width);
        let number = (value << unused).cast_signed() >> unused;
        self.words.address(value, width).unwrap_or_else(|| number.to_string())
    }

    /// A sum whose negative summands are subtracted.
    fn sum(&self, kids: &[Term], depth: u32) -> String {
        let mut text = String::new();
        // The constant comes first in a term and last in what people write.
        let (constants, others): (Vec<Term>, Vec<Term>) =
            kids.iter().partition(|k| self.terms.as_const(**k).is_some());
        for kid in others.into_iter().chain(constants) {
            let summand = self.show(kid, SUM, depth);
            match (text.is_empty(), summand.strip_prefix('-')) {
                (true, _) => text = summand,
                (false, Some(rest)) => text.push_str(&format!(" - {rest}")),
                (false, None) => text.push_str(&format!(" + {summand}")),
            }
        }
        text
    }

    fn product(&self, t: Term, outer: u8, depth: u32) -> String {
        let (left, right) = (self.terms.kid(t, 0), self.terms.kid(t, 1));
        let right = self.show(right, PRODUCT + 1, depth);
        match self.terms.as_const(left).map(|c| self.constant(c, self.terms.width(left))) {
            Some(minus) if minus == "-1" => format!("-{right}"),
            Some(number) => wrap(format!("{number} * {right}"), PRODUCT, outer),
            None => wrap(format!("{} * {right}", self.show(left, PRODUCT + 1, depth)), PRODUCT, outer),
        }
    }

    fn select(&self, array: Term, index: Term, depth: u32) -> String {
        let Some(symbol) = self.terms.as_var(array) else {
            return format!("{}[{}]", self.show(array, UNARY, depth), self.show(index, 0, depth));
        };
        let constant = self.terms.as_const(index);
        if let Some(element) = constant.and_then(|offset| self.words.element(symbol, offset)) {
            return element;
        }
        let scaled = self.words.stride(symbol).and_then(|stride| self.unscaled(index, stride, depth));
        let text = scaled.unwrap_or_else(|| format!("({}) bytes", self.show(index, 0, depth)));
        self.words.element_at(symbol, &text)
    }

    /// `i` for the byte offset `stride * i`.
    fn unscaled(&self, offset: Term, stride: u128, depth: u32) -> Option<String> {
        if stride == 1 {
            return Some(self.show(offset, 0, depth));
        }
        let (op, kids) = (self.terms.op(offset), self.terms.kids(offset));
        let is = |t: Term, value: u128| self.terms.as_const(t) == Some(value);
        match op {
            Op::Mul if is(kids[0], stride) => Some(self.show(kids[1], 0, depth)),
            Op::Shl if self.terms.as_const(kids[1]).is_some_and(|n| n < 64 && 1 << n == stride) => {
                Some(self.show(kids[0], 0, depth))
            }
            _ => None,
        }
    }
}

fn wrap(text: String, level: u8, outer: u8) -> String {
    if level < outer { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;

    struct Plain<'a>(&'a Terms);

    impl Words for Plain<'_> {
        fn variable(&self, symbol: Symbol) -> String {
            self.0.name(symbol).to_owned()
        }
        fn element(&self, symbol: Symbol, offset: u128) -> Option<String> {
            Some(format!("{}[{}]", self.0.name(symbol), offset / 4))
        }
        fn element_at(&self, symbol: Symbol, offset: &str) -> String {
            format!("{}[{offset}]", self.0.name(symbol))
        }
        fn stride(&self, _: Symbol) -> Option<u128> {
            Some(4)
        }
        fn address(&self, value: u128, width: u8) -> Option<String> {
            (width == 64 && value == 4096).then(|| "&x".to_owned())
        }
    }

    fn check(make: impl Fn(&mut Terms) -> Term, expected: &str) {
        let mut terms = Terms::new();
        let term = make(&mut terms);
        let text = Printer { terms: &terms, words: Plain(&terms) }.text(term);
        assert_eq!(text, expected);
    }

    fn var(terms: &mut Terms, name: &str) -> Term {
        terms.var(name, Sort::Bits(32))
    }

    #[test]
    fn comparisons() {
        let with = |make: fn(&mut Terms, Term, Term) -> Term| {
            move |t: &mut Terms| {
                let (x, five) = (var(t, "x"), t.constant(5, 32));
                make(t, x, five)
            }
        };
        check(with(|t, x, c| t.eq(x, c)), "x == 5");
        check(with(|t, x, c| t.ne(x, c)), "x != 5");
        check(with(|t, x, c| t.slt(x, c)), "x <= 4");
        check(with(|t, x, c| t.slt(c, x)), "x >= 6");
        check(with(|t, x, c| t.ult(x, c)), "x <= 4u");
        check(
            |t| {
                let (x, y) = (var(t, "x"), var(t, "y"));
                t.ule(x, y)
            },
            "x <=u y",
        );
    }

    #[test]
    fn connectives() {
        let two = |t: &mut Terms| {
            let (x, y, zero) = (var(t, "x"), var(t, "y"), t.constant(0, 32));
            (t.eq(x, zero), t.slt(zero, y))
        };
        check(
            |t| {
                let (a, b) = two(t);
                let either = t.or2(a, b);
                let flag = t.var("flag", Sort::Bool);
                t.and2(either, flag)
            },
            "(x == 0 || y > 0) && flag",
        );
    }

    #[test]
    fn sums_and_addresses() {
        check(
            |t| {
                let (x, y, three) = (var(t, "x"), var(t, "y"), t.constant(3, 32));
                let difference = t.sub(x, y);
                let sum = t.add(difference, three);
                let z = var(t, "z");
                t.slt(sum, z)
            },
            "x - y + 3 < z",
        );
        check(
            |t| {
                let (p, address) = (t.var("p", Sort::Bits(64)), t.constant(4096, 64));
                t.eq(p, address)
            },
            "p == &x",
        );
    }

    #[test]
    fn elements() {
        check(
            |t| {
                let a = t.var("a", Sort::Array { index: 64, element: 32 });
                let (i, four, one) = (t.var("i", Sort::Bits(64)), t.constant(4, 64), t.constant(1, 32));
                let offset = t.mul(four, i);
                let (left, right) = (t.select(a, offset), t.select(a, four));
                let sum = t.add(right, one);
                t.slt(left, sum)
            },
            "a[i] < a[1] + 1",
        );
    }
}
