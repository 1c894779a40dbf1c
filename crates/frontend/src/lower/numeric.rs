//! What compilers build in for numbers: arithmetic that reports overflow, bits, classes of floating-point numbers.
//!
//! | builtins | as |
//! |---|---|
//! | `add_overflow` and its kin | arithmetic in a width in which nothing overflows, then a comparison with what was stored |
//! | `ffs`, `clrsb`, `parity` | choices by bits |
//! | `isnan`, `isinf`, `fpclassify`, … | comparisons of the exponent's and the fraction's bits |
//! | `isless`, `isunordered`, … | quiet comparisons, which are the only ones there are |

use super::builtins::bit;
use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir;
use crate::types::{Ty, Type};
use program::{BinOp, Expr, Op, Order, Width};

impl<'m> Builder<'_, 'm> {
    /// A builtin about numbers, if `name` is one.
    pub(super) fn numeric_builtin(
        &mut self,
        name: &str,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let short = name.strip_prefix("__builtin_")?;
        if let Some(op) = overflow_operation(short) {
            let [left, right, target] = args else { return None };
            return Some(self.overflow(op, left, right, target, short.ends_with("_p"), expr));
        }
        self.bits_builtin(short, args).or_else(|| self.float_class(short, args))
    }

    // ---- overflow -------------------------------------------------------------------------------------------

    /// Whether the exact result does not fit the type that `target` points to, or has if `only_asked`.
    fn overflow(
        &mut self,
        op: BinOp,
        left: &'m hir::Expr,
        right: &'m hir::Expr,
        target: &'m hir::Expr,
        only_asked: bool,
        expr: &'m hir::Expr,
    ) -> Expr {
        let stored = match self.ctx.module.types.unatomic(target.ty) {
            _ if only_asked => target.ty,
            Type::Pointer(pointee) => *pointee,
            _ => return self.no_value("an overflow builtin without a pointer"),
        };
        let widths = [left.ty, right.ty, stored].map(|ty| self.ctx.width(ty));
        let [Some(l_width), Some(r_width), Some(width)] = widths else {
            return self.no_value("an overflow builtin on types without a model");
        };
        if l_width.max(r_width).max(width) > Width(64) {
            return self.no_value("an overflow builtin on 128 bits");
        }
        let signs = [left.ty, right.ty].map(|ty| self.class(ty) == Class::Signed);
        // Wide enough for the exact result; a product of unsigned words needs all of it, without a sign.
        let bits = (2 * l_width.max(r_width).bits() + 2).max(width.bits() + 2).min(128);
        let wide = Width(bits as u8);
        let l = self.rvalue(left);
        let l = self.repeatable(l);
        let r = self.rvalue(right);
        let exact = Expr::binary(op, scalar::resize(l, signs[0], wide), scalar::resize(r, signs[1], wide));
        let exact = self.in_temporary(exact);
        let result = scalar::resize(exact.clone(), false, width);
        let fits = {
            let back = scalar::resize(result.clone(), self.class(stored) == Class::Signed, wide);
            Expr::binary(BinOp::Eq, back, exact)
        };
        let overflows = self.in_temporary(fits.negated());
        if only_asked {
            self.effects(target);
        } else {
            let addr = self.word_argument(target);
            self.span = expr.span;
            self.push(Op::Store { addr, value: result, order: Order::Plain });
        }
        self.as_result(overflows, expr.ty)
    }

    fn as_result(&self, truth: Expr, ty: Ty) -> Expr {
        scalar::resize(truth, false, self.ctx.width(ty).unwrap_or(Width::INT))
    }

    // ---- bits -----------------------------------------------------------------------------------------------

    fn bits_builtin(&mut self, short: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let [arg] = args else { return None };
        Some(match short {
            "ffs" | "ffsl" | "ffsll" => {
                let value = self.repeatable_value(arg);
                let below = self.int(u128::MAX);
                let below = self.zeros_before(&value, false, below);
                Expr::binary(BinOp::Add, below, self.int(1))
            }
            "clrsb" | "clrsbl" | "clrsbll" => {
                let value = self.repeatable_value(arg);
                let bits = value.width().bits();
                let last = Expr::constant(u128::from(bits - 1), value.width());
                let sign = Expr::binary(BinOp::AShr, value.clone(), last);
                let changes = self.in_temporary(Expr::binary(BinOp::Xor, value, sign));
                let all = self.int(u128::from(bits));
                let zeros = self.zeros_before(&changes, true, all);
                Expr::binary(BinOp::Sub, zeros, self.int(1))
            }
            "parity" | "parityl" | "parityll" => {
                let mut value = self.repeatable_value(arg);
                let mut half = value.width().bits() / 2;
                while half > 0 {
                    let by = Expr::constant(u128::from(half), value.width());
                    let folded =
                        Expr::binary(BinOp::Xor, value.clone(), Expr::binary(BinOp::LShr, value, by));
                    value = self.in_temporary(folded);
                    half /= 2;
                }
                scalar::resize(bit(&value, 0), false, Width::INT)
            }
            _ => return None,
        })
    }

    fn repeatable_value(&mut self, arg: &'m hir::Expr) -> Expr {
        let value = self.rvalue(arg);
        self.repeatable(value)
    }

    // ---- floating point -------------------------------------------------------------------------------------

    fn float_class(&mut self, short: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        if let [left, right] = args {
            return self.float_comparison(short, left, right);
        }
        let known =
            ["isnan", "isinf", "isinf_sign", "isfinite", "finite", "isnormal", "signbit", "fpclassify"];
        let plain = if short == "isinf" { short } else { short.strip_suffix('f').unwrap_or(short) };
        let arg = args.last().filter(|_| known.contains(&plain))?;
        if self.ctx.width(arg.ty).is_none() || self.class(arg.ty) != Class::Float {
            return Some(self.no_value("the class of a number without a model"));
        }
        let numbers: Vec<Expr> = args[..args.len() - 1].iter().map(|n| self.repeatable_value(n)).collect();
        let value = self.repeatable_value(arg);
        let shape = Shape::of(&value);
        Some(match plain {
            "isnan" => as_int(shape.is_nan()),
            "isinf" => as_int(shape.is_infinite()),
            "isinf_sign" => {
                let sign = Expr::ite(shape.is_negative(), self.int(u128::MAX), self.int(1));
                Expr::ite(shape.is_infinite(), sign, self.int(0))
            }
            "isfinite" | "finite" => as_int(shape.is_finite()),
            "isnormal" => as_int(shape.is_normal()),
            "signbit" => as_int(shape.is_negative()),
            _ => {
                let [nan, infinite, normal, subnormal, zero] = <[Expr; 5]>::try_from(numbers).ok()?;
                let small = Expr::ite(shape.is_zero(), zero, subnormal);
                let finite = Expr::ite(shape.is_normal(), normal, small);
                let number = Expr::ite(shape.is_infinite(), infinite, finite);
                Expr::ite(shape.is_nan(), nan, number)
            }
        })
    }

    fn float_comparison(&mut self, short: &str, left: &'m hir::Expr, right: &'m hir::Expr) -> Option<Expr> {
        let known = ["isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"];
        if !known.contains(&short) {
            return None;
        }
        if self.ctx.width(left.ty).is_none() || self.ctx.width(right.ty).is_none() {
            return Some(self.no_value("a comparison of numbers without a model"));
        }
        let width = [left, right].into_iter().filter_map(|arg| self.ctx.width(arg.ty)).max();
        let width = width.map_or(Width(64), |width| width.max(Width(64)));
        let (l, r) = (self.as_float(left, width), self.as_float(right, width));
        let holds = match short {
            "isgreater" => Expr::binary(BinOp::FLt, r, l),
            "isgreaterequal" => Expr::binary(BinOp::FLe, r, l),
            "isless" => Expr::binary(BinOp::FLt, l, r),
            "islessequal" => Expr::binary(BinOp::FLe, l, r),
            "islessgreater" => Expr::binary(
                BinOp::Or,
                Expr::binary(BinOp::FLt, l.clone(), r.clone()),
                Expr::binary(BinOp::FLt, r, l),
            ),
            _ => Expr::binary(
                BinOp::Or,
                Expr::binary(BinOp::FNe, l.clone(), l),
                Expr::binary(BinOp::FNe, r.clone(), r),
            ),
        };
        Some(as_int(holds))
    }

    /// A number in a format that has all numbers of its own.
    fn as_float(&mut self, arg: &'m hir::Expr, width: Width) -> Expr {
        let value = self.rvalue(arg);
        let value = scalar::convert(value, self.class(arg.ty), Class::Float, width);
        self.repeatable(value)
    }
}

/// The operation of an overflow builtin: `add_overflow`, `saddl_overflow`, `uaddll_overflow`, `add_overflow_p`, …
fn overflow_operation(short: &str) -> Option<BinOp> {
    let (kind, _) = short.split_once("_overflow")?;
    let operations = [("add", BinOp::Add), ("sub", BinOp::Sub), ("mul", BinOp::Mul)];
    operations.into_iter().find(|(name, _)| kind.contains(name)).map(|(_, op)| op)
}

fn as_int(truth: Expr) -> Expr {
    scalar::resize(truth, false, Width::INT)
}

/// The parts of an IEEE number.
struct Shape {
    value: Expr,
    exponent: Expr,
    fraction: Expr,
    all_ones: Expr,
    zero: Expr,
}

impl Shape {
    fn of(value: &Expr) -> Shape {
        let width = value.width();
        let n_fraction = program::float::fraction_bits(width);
        // The leading one of x87 is neither exponent nor fraction.
        let leading: u128 = if width == Width(80) { 1 << 63 } else { 0 };
        let sign = 1 << (width.bits() - 1);
        let fraction: u128 = (1 << n_fraction) - 1;
        let exponent = width.mask() & !sign & !leading & !fraction;
        let part = |mask| Expr::binary(BinOp::And, value.clone(), Expr::constant(mask, width));
        Shape {
            value: value.clone(),
            exponent: part(exponent),
            fraction: part(fraction),
            all_ones: Expr::constant(exponent, width),
            zero: Expr::constant(0, width),
        }
    }
    fn is_nan(&self) -> Expr {
        Expr::binary(BinOp::FNe, self.value.clone(), self.value.clone())
    }
    fn is_infinite(&self) -> Expr {
        let no_fraction = Expr::binary(BinOp::Eq, self.fraction.clone(), self.zero.clone());
        Expr::binary(BinOp::And, self.is_finite().negated(), no_fraction)
    }
    fn is_finite(&self) -> Expr {
        Expr::binary(BinOp::Ne, self.exponent.clone(), self.all_ones.clone())
    }
    fn is_normal(&self) -> Expr {
        let large = Expr::binary(BinOp::Ne, self.exponent.clone(), self.zero.clone());
        Expr::binary(BinOp::And, self.is_finite(), large)
    }
    fn is_zero(&self) -> Expr {
        Expr::binary(BinOp::FEq, self.value.clone(), self.zero.clone())
    }
    fn is_negative(&self) -> Expr {
        bit(&self.value, self.value.width().bits() - 1)
    }
}
