//! Bits that were never set: what an expression is whatever they are.
//!
//! A bit-field is set by a store of its whole unit, most of which may never have been set, and is read by a mask. Therefore [`Step::bits`] computes with values of which some bits are unset,
//! memory keeps which bits of a byte are ([`Content`](super::memory::Content)), and a frame which ones of a register. A result without unset bits is a value; it is used without a choice of what was not set.
//!
//! # Direction of error
//! Says that too many bits are unset, or nothing at all: operations that mix bits (sums, products, comparisons by order) have no result here if an operand has unset bits.

use super::eval::{Access, Eval};
use super::step::Step;
use super::value;
use crate::{BinOp, Cast, Expr, UnOp, Width};
use base::convert::low64;

/// A value of which some bits were never set; these are 0 in `value`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Bits {
    pub(super) value: u128,
    pub(super) unset: u128,
}

impl Bits {
    pub(super) fn known(value: u128) -> Self {
        Self { value, unset: 0 }
    }

    pub(super) fn new(value: u128, unset: u128) -> Self {
        Self { value: value & !unset, unset }
    }
}

impl Step<'_, '_> {
    /// The value of an expression, as far as it does not depend on what was never set; `None` if that cannot be said.
    pub(super) fn bits(&self, expr: &Expr) -> Option<Bits> {
        match expr {
            Expr::Reg(var, width) => Some(self.frame().bits(*var, *width)),
            Expr::Load { addr, width, .. } => self.loaded_bits(addr, *width),
            Expr::Unary(op, e) => unary(*op, self.bits(e)?, e.width()),
            Expr::Binary(op, l, r) => binary(*op, self.bits(l)?, self.bits(r)?, l.width()),
            Expr::Cast(kind, to, e) => cast(*kind, self.bits(e)?, e.width(), *to),
            Expr::Ite(cond, yes, no) => match self.bits(cond)? {
                Bits { unset: 0, value } => self.bits(if value != 0 { yes } else { no }),
                _ => None,
            },
            Expr::Const(..)
            | Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_)
            | Expr::SameObject(..) => {
                Eval::new(self.interp, self.state, self.thread, None).value(expr).ok().map(Bits::known)
            }
        }
    }

    fn loaded_bits(&self, addr: &Expr, width: Width) -> Option<Bits> {
        let Bits { value: address, unset: 0 } = self.bits(addr)? else { return None };
        if self.running().has_buffered() {
            return None;
        }
        let (slot, offset) =
            self.interp.access(self.state, low64(address), width.bytes(), Access::Read).ok()?;
        let content = self.state.memory.get(slot)?;
        let mut bits = Bits::known(0);
        for at in 0..width.bytes() {
            let (value, unset) = content.bits(offset + at);
            bits.value |= u128::from(value) << (8 * at);
            bits.unset |= u128::from(unset) << (8 * at);
        }
        Some(Bits { value: width.truncate(bits.value), unset: width.truncate(bits.unset) })
    }
}

fn unary(op: UnOp, e: Bits, w: Width) -> Option<Bits> {
    match op {
        UnOp::Not => Some(Bits::new(w.truncate(!e.value), e.unset)),
        UnOp::Neg | UnOp::FNeg => (e.unset == 0).then(|| Bits::known(value::unary(op, e.value, w))),
    }
}

fn binary(op: BinOp, l: Bits, r: Bits, w: Width) -> Option<Bits> {
    let either = l.unset | r.unset;
    if either == 0 {
        return Some(Bits::known(value::binary(op, l.value, r.value, w)));
    }
    match op {
        BinOp::And => {
            // A bit that is known to be 0 decides.
            let zeros = !(l.value | l.unset) | !(r.value | r.unset);
            Some(Bits::new(l.value & r.value, either & !zeros))
        }
        BinOp::Or => Some(Bits::new(l.value | r.value, either & !(l.value | r.value))),
        BinOp::Xor => Some(Bits::new(l.value ^ r.value, either)),
        BinOp::Shl | BinOp::LShr | BinOp::AShr if r.unset == 0 => {
            let shifted = |bits| value::binary(op, bits, r.value, w);
            Some(Bits::new(shifted(l.value), shifted(l.unset)))
        }
        BinOp::Eq | BinOp::Ne => {
            let differ = (l.value ^ r.value) & !either != 0;
            Some(if differ { Bits::known(u128::from(op == BinOp::Ne)) } else { Bits::new(0, 1) })
        }
        _ => None,
    }
}

fn cast(kind: Cast, e: Bits, from: Width, to: Width) -> Option<Bits> {
    match kind {
        Cast::Zext | Cast::Trunc | Cast::Sext => {
            let converted = |bits| value::cast(kind, bits, from, to);
            Some(Bits::new(converted(e.value), converted(e.unset)))
        }
        _ => (e.unset == 0).then(|| Bits::known(value::cast(kind, e.value, from, to))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values of some bits, each with every choice of which are unset.
    fn all(w: Width) -> impl Iterator<Item = Bits> {
        let n = 1u128 << w.bits();
        (0..n).flat_map(move |unset| (0..n).filter(move |v| v & unset == 0).map(move |v| Bits::new(v, unset)))
    }

    /// The values that it may have once all bits are set.
    fn completions(bits: Bits, w: Width) -> impl Iterator<Item = u128> {
        (0..1u128 << w.bits()).filter(move |v| v & !bits.unset == bits.value)
    }

    #[test]
    fn every_completion_has_the_bits_that_are_set() {
        use BinOp::*;
        let ops =
            [Add, Sub, Mul, UDiv, SDiv, URem, And, Or, Xor, Shl, LShr, AShr, Eq, Ne, ULt, ULe, SLt, SLe];
        let w = Width(3);
        for (op, l) in ops.into_iter().flat_map(|op| all(w).map(move |l| (op, l))) {
            for r in all(w) {
                let Some(bits) = binary(op, l, r, w) else { continue };
                for (x, y) in completions(l, w).flat_map(|x| completions(r, w).map(move |y| (x, y))) {
                    let result = value::binary(op, x, y, w);
                    assert_eq!(result & !bits.unset, bits.value, "{op:?} {l:?} {r:?}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn the_same_for_operations_on_one_value() {
        let w = Width(3);
        for e in all(w) {
            for x in completions(e, w) {
                for op in [UnOp::Not, UnOp::Neg] {
                    let Some(bits) = unary(op, e, w) else { continue };
                    assert_eq!(value::unary(op, x, w) & !bits.unset, bits.value, "{op:?} {e:?}: {x}");
                }
                for (kind, to) in [(Cast::Zext, Width(5)), (Cast::Sext, Width(5)), (Cast::Trunc, Width(2))] {
                    let bits = cast(kind, e, w, to).expect("integers should have bits");
                    assert_eq!(value::cast(kind, x, w, to) & !bits.unset, bits.value, "{kind:?} {e:?}: {x}");
                }
            }
        }
    }
}
