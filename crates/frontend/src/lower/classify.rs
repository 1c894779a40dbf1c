//! GCC's questions about floating-point numbers: `__builtin_isnan`, `__builtin_fpclassify`, `__builtin_isgreater` and their kin.
//!
//! Classes are read off the bits, so that formulas need no floating-point arithmetic: without its sign, a number is infinite if it equals the bits of
//! infinity, no number if it is above, normal from the least exponent on.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir;
use program::{BinOp, Cast, Expr, Width};

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of a builtin that classifies or compares floating-point numbers; `short` is its name without `__builtin_`.
    pub(super) fn float_builtin(&mut self, short: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let value = match (short, args) {
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered",
                [left, right],
            ) => {
                let (left, right) = self.same_float(left, right)?;
                comparison(short, left, right)
            }
            ("fpclassify", [.., number]) if args.len() == 6 => return self.fpclassify(args, number),
            (_, [number]) => {
                let magnitude = self.float_bits(number)?;
                match short {
                    "isnan" => magnitude.is_nan(),
                    "isinf" => magnitude.is_infinite(),
                    "isfinite" | "finite" => magnitude.is_finite(),
                    "isnormal" => magnitude.is_normal(),
                    "signbit" | "signbitf" => magnitude.sign,
                    "isinf_sign" => {
                        let one =
                            Expr::ite(magnitude.sign.clone(), self.int(u128::from(u32::MAX)), self.int(1));
                        return Some(Expr::ite(magnitude.is_infinite(), one, self.int(0)));
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(scalar::resize(value, false, Width::INT))
    }

    fn fpclassify(&mut self, args: &'m [hir::Expr], number: &'m hir::Expr) -> Option<Expr> {
        let mut answers = Vec::new();
        for answer in &args[..5] {
            let value = self.rvalue(answer);
            answers.push(self.repeatable(value));
        }
        let magnitude = self.float_bits(number)?;
        let [nan, infinite, normal, subnormal, zero] = answers.try_into().ok()?;
        let finite =
            Expr::ite(magnitude.is_normal(), normal, Expr::ite(magnitude.is_zero(), zero, subnormal));
        Some(Expr::ite(magnitude.is_nan(), nan, Expr::ite(magnitude.is_infinite(), infinite, finite)))
    }

    /// The parts of a floating-point argument; integers are converted. `None` for types without a model.
    fn float_bits(&mut self, arg: &'m hir::Expr) -> Option<Magnitude> {
        let width = self.ctx.width(arg.ty)?;
        let class = self.class(arg.ty);
        let value = self.rvalue(arg);
        let value = if class == Class::Float {
            value
        } else {
            scalar::convert(value, class, Class::Float, Width(64))
        };
        let width = if class == Class::Float { width } else { Width(64) };
        let bits = self.repeatable(value);
        let mask = Expr::constant(width.mask() >> 1, width);
        let magnitude = self.in_temporary(Expr::binary(BinOp::And, bits.clone(), mask));
        let top = Expr::constant(u128::from(width.bits() - 1), width);
        let sign = Expr::cast(Cast::Trunc, Width::BOOL, Expr::binary(BinOp::LShr, bits, top));
        Some(Magnitude { bits: magnitude, sign: self.in_temporary(sign) })
    }

    /// Two arguments in the wider one's type.
    fn same_float(&mut self, left: &'m hir::Expr, right: &'m hir::Expr) -> Option<(Expr, Expr)> {
        let (a, b) = (self.ctx.width(left.ty)?, self.ctx.width(right.ty)?);
        let both_single = self.class(left.ty) == Class::Float
            && self.class(right.ty) == Class::Float
            && a == Width(32)
            && b == Width(32);
        let width = if both_single { Width(32) } else { Width(64) };
        let mut converted = |arg: &'m hir::Expr| {
            let class = self.class(arg.ty);
            let value = self.rvalue(arg);
            let value = scalar::convert(value, class, Class::Float, width);
            self.repeatable(value)
        };
        Some((converted(left), converted(right)))
    }
}

fn comparison(name: &str, left: Expr, right: Expr) -> Expr {
    let float = |op, l: &Expr, r: &Expr| Expr::binary(op, l.clone(), r.clone());
    match name {
        "isgreater" => float(BinOp::FLt, &right, &left),
        "isgreaterequal" => float(BinOp::FLe, &right, &left),
        "isless" => float(BinOp::FLt, &left, &right),
        "islessequal" => float(BinOp::FLe, &left, &right),
        "islessgreater" => {
            Expr::binary(BinOp::Or, float(BinOp::FLt, &left, &right), float(BinOp::FLt, &right, &left))
        }
        _ => {
            let ordered =
                Expr::binary(BinOp::Or, float(BinOp::FLe, &left, &right), float(BinOp::FLe, &right, &left));
            ordered.negated()
        }
    }
}

/// A floating-point number without its sign, and the sign.
struct Magnitude {
    bits: Expr,
    sign: Expr,
}

impl Magnitude {
    fn constant(&self, single: u128, double: u128) -> Expr {
        let width = self.bits.width();
        Expr::constant(if width == Width(32) { single } else { double }, width)
    }

    fn infinity(&self) -> Expr {
        self.constant(0x7f80_0000, 0x7ff0_0000_0000_0000)
    }

    fn is_nan(&self) -> Expr {
        Expr::binary(BinOp::ULt, self.infinity(), self.bits.clone())
    }

    fn is_infinite(&self) -> Expr {
        Expr::binary(BinOp::Eq, self.bits.clone(), self.infinity())
    }

    fn is_finite(&self) -> Expr {
        Expr::binary(BinOp::ULt, self.bits.clone(), self.infinity())
    }

    fn is_zero(&self) -> Expr {
        Expr::binary(BinOp::Eq, self.bits.clone(), self.constant(0, 0))
    }

    fn is_normal(&self) -> Expr {
        let least = self.constant(0x0080_0000, 0x0010_0000_0000_0000);
        let large = Expr::binary(BinOp::ULe, least, self.bits.clone());
        Expr::binary(BinOp::And, large, self.is_finite())
    }
}
