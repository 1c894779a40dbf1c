//! Floating-point expressions. Bounds on absolute values keep them finite and their conversions to integers defined.

use super::scope::{FLOAT_BOUND, Generator, Var};
use super::types::{Float, INT, LONG, Value, strength};

impl Generator {
    /// A floating-point expression.
    pub fn float(&mut self, depth: usize) -> Float {
        if depth == 0 {
            return self.float_leaf();
        }
        let depth = depth - 1;
        let value = match self.r.index(8) {
            0 | 1 => self.float_binary('*', depth),
            2 => self.float_binary('+', depth),
            3 => self.float_binary('-', depth),
            4 => {
                let (a, n) = (self.float(depth), self.int(depth.min(1)));
                let divisor = format!("(double)(({} & 7) + 1)", n.at(strength::AND));
                let text = format!("{} / {divisor}", a.at(strength::PRODUCT));
                Float { text, strength: strength::PRODUCT, double: true, bound: a.bound }
            }
            5 => {
                let a = self.float(depth);
                let text = format!("-{}", a.at(strength::PRIMARY));
                Float { text, strength: strength::UNARY, ..a }
            }
            6 => {
                let (c, a, b) = (self.comparison(depth.min(1)), self.float(depth), self.float(depth));
                let text =
                    format!("{} ? {} : {}", c.at(strength::LOGICAL_OR), a.text, b.at(strength::CONDITIONAL));
                let (double, bound) = (a.double || b.double, a.bound.max(b.bound));
                Float { text, strength: strength::CONDITIONAL, double, bound }
            }
            _ => {
                let a = self.float(depth);
                let name = if a.double { "float" } else { "double" };
                let text = format!("({name}){}", a.at(strength::UNARY));
                Float { text, strength: strength::UNARY, double: !a.double, bound: a.bound * 1.0001 }
            }
        };
        self.scaled(value)
    }

    /// `value`, or so small a part of it that more operations do not get it out of hand.
    fn scaled(&mut self, value: Float) -> Float {
        if value.bound <= FLOAT_BOUND {
            return value;
        }
        let factor = i32::try_from(rounded_up(value.bound.log2())).expect("a logarithm should be small") - 18;
        let text = format!("{} / {:.1}", value.at(strength::PRODUCT), 2f64.powi(factor));
        Float { text, strength: strength::PRODUCT, double: true, bound: 1_000_000.0 }
    }

    fn float_binary(&mut self, op: char, depth: usize) -> Float {
        let (a, b) = (self.float(depth), self.float(depth));
        let level = if op == '*' { strength::PRODUCT } else { strength::SUM };
        let text = format!("{} {op} {}", a.at(level), b.at(level + 1));
        let bound = if op == '*' { a.bound * b.bound } else { a.bound + b.bound };
        Float { text, strength: level, double: a.double || b.double, bound: bound * 1.0001 + 1.0 }
    }

    fn float_leaf(&mut self) -> Float {
        let floats: Vec<Var> = self.vars.iter().filter(|v| matches!(v, Var::Float { .. })).cloned().collect();
        if !floats.is_empty() && self.r.one_in(2) {
            let Var::Float { name, double } = self.r.pick(&floats) else {
                unreachable!("it should be a float")
            };
            return Float { text: name, strength: strength::PRIMARY, double, bound: FLOAT_BOUND };
        }
        let double = self.r.one_in(2);
        if self.r.one_in(3) {
            let n = self.r.index(4000) as f64 / self.r.pick(&[1.0, 8.0, 10.0]);
            let text = match self.r.index(3) {
                0 => format!("{n:e}"),
                _ => format!("{n:.3}"),
            };
            let suffix = if double { "" } else { "f" };
            return Float {
                text: format!("{text}{suffix}"),
                strength: strength::PRIMARY,
                double,
                bound: n.abs() + 1.0,
            };
        }
        let value = self.int(1);
        let name = if double { "double" } else { "float" };
        let bound = value.lo.abs().max(value.hi.abs()) as f64 * 1.0001 + 1.0;
        let text = format!("({name}){}", value.at(strength::UNARY));
        self.scaled(Float { text, strength: strength::UNARY, double, bound })
    }

    /// An integer made of floating-point numbers.
    pub fn float_as_int(&mut self, depth: usize) -> Value {
        let depth = depth.min(2);
        match self.r.index(4) {
            0 => {
                let (a, b) = (self.float(depth), self.float(depth));
                let op = self.r.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let text = format!("({} {op} {})", a.at(strength::SUM), b.at(strength::SUM));
                Value::new(text, strength::PRIMARY, INT, 0, 1)
            }
            1 => {
                let a = self.float(depth);
                Value::new(format!("!{}", a.at(strength::PRIMARY)), strength::UNARY, INT, 0, 1)
            }
            2 => {
                let a = self.float(depth);
                let most = rounded_up(a.bound);
                let text = format!("(int){}", a.at(strength::UNARY));
                Value::new(text, strength::UNARY, INT, -most, most)
            }
            _ => {
                let a = self.float(depth);
                let most = rounded_up(a.bound * 1024.0);
                let text = format!("(long)({} * 1024)", a.at(strength::PRODUCT));
                Value::new(text, strength::UNARY, LONG, -most, most)
            }
        }
    }

    /// All bits of a floating-point number.
    pub fn float_bits(&mut self, value: &Float) -> String {
        if value.double {
            format!(
                "((union {{ double d; unsigned long long bits; }}){{.d = {}}}).bits",
                value.at(strength::CONDITIONAL)
            )
        } else {
            format!("((union {{ float d; unsigned bits; }}){{{}}}).bits", value.at(strength::CONDITIONAL))
        }
    }
}

/// The least integer that is not below a bound.
#[allow(clippy::cast_possible_truncation)] // bounds are far below 2^127
fn rounded_up(bound: f64) -> i128 {
    bound.ceil() as i128
}
