//! Expressions as text.
//!
//! Expressions can be a thousand operators deep, so the printer keeps its own stack of pieces still to be written.

use super::names::quote_name;
use super::{CASTS, DEFAULT_WIDTH, OPERATORS, ORDERS};
use crate::{BinOp, Cast, Expr, FuncId, Function, Order, Program, UnOp, VarId, VarKind, Width};
use base::convert::{low32, low64};
use std::borrow::Cow;

/// `expr`, an expression of function `func`, in textual form, where constants that need not be 32 bits wide show
/// their width.
pub fn print_expr(program: &Program, func: FuncId, expr: &Expr) -> String {
    let mut out = String::new();
    Scope { program, function: program.functions.get(func) }.expr(&mut out, expr, None);
    out
}

/// What names are looked up in; ids that name nothing are printed as such, for the sake of ill-formed programs.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub program: &'p Program,
    pub function: Option<&'p Function>,
}

/// Something still to be written.
enum Piece<'e> {
    /// A subexpression.
    Part {
        expr: &'e Expr,
        /// The width that its place asks for.
        expected: Option<Width>,
        /// True if its place asks for a floating-point number.
        float: bool,
    },
    /// Text.
    Text(Cow<'static, str>),
}

impl Scope<'_> {
    /// The name of a variable.
    pub fn var(self, var: VarId) -> String {
        let found = self.function.and_then(|f| f.vars.get(var));
        found.map_or_else(|| format!("`?{var}`"), |v| quote_name(&v.name))
    }

    /// The name of a function.
    pub fn func(self, func: FuncId) -> String {
        self.program.functions.get(func).map_or_else(|| format!("`?{func}`"), |f| quote_name(&f.name))
    }

    /// The width of a variable, if it is a register.
    pub fn register_width(self, var: VarId) -> Option<Width> {
        register_width(self.function?, var)
    }

    /// Appends `expr` to `out`; its place asks for a value of the width `expected`.
    pub fn expr(self, out: &mut String, expr: &Expr, expected: Option<Width>) {
        let mut pieces = vec![Piece::Part { expr, expected, float: false }];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Part { expr, expected, float } => {
                    let from = pieces.len();
                    self.pieces(expr, expected, float, &mut pieces);
                    pieces[from..].reverse();
                }
            }
        }
    }

    /// Appends the pieces of one expression, in the order of reading.
    fn pieces<'e>(self, expr: &'e Expr, expected: Option<Width>, float: bool, to: &mut Vec<Piece<'e>>) {
        match expr {
            Expr::Const(value, width) => to.push(text(constant(*value, *width, expected, float))),
            Expr::Reg(var, _) => to.push(text(self.var(*var))),
            Expr::LocalAddr(..) | Expr::ObjectAddr(..) | Expr::FuncAddr(..) => {
                to.push(text(self.address(expr)))
            }
            Expr::SelfHandle(_) => to.push(text("self()")),
            Expr::Load { addr, width, order } => {
                to.push(text("["));
                to.push(part(addr, Some(self.program.data_model.pointer()), false));
                to.push(text(format!("]:{width}{}", order_mark(*order))));
            }
            Expr::Unary(op, operand) => unary(*op, operand, expected, float, to),
            Expr::Binary(op, left, right) => binary(*op, left, right, expected, to),
            Expr::Cast(kind, width, operand) => {
                let name = CASTS.iter().find(|(k, _)| k == kind).expect("every cast should have a name").1;
                to.push(text(format!("{name}{width}(")));
                to.push(part(operand, None, matches!(kind, Cast::FToS | Cast::FToU | Cast::FToF)));
                to.push(text(")"));
            }
            Expr::Ite(cond, yes, no) => {
                let asked = natural_width(yes).or_else(|| natural_width(no)).or(expected);
                to.push(text("ite("));
                to.push(part(cond, Some(Width::BOOL), false));
                to.push(text(", "));
                to.push(part(yes, asked, float));
                to.push(text(", "));
                to.push(part(no, asked, float));
                to.push(text(")"));
            }
            Expr::SameObject(left, right) => {
                let pointer = Some(self.program.data_model.pointer());
                to.push(text("same_object("));
                to.push(part(left, pointer, false));
                to.push(text(", "));
                to.push(part(right, pointer, false));
                to.push(text(")"));
            }
        }
    }

    /// `&x`, with the kind of `x` where scopes hide it.
    fn address(self, expr: &Expr) -> String {
        let local = |name: &str| self.function.is_some_and(|f| memory_variable(f, name).is_some());
        match expr {
            Expr::ObjectAddr(object, _) => match self.program.objects.get(*object) {
                Some(o) if local(&o.name) => format!("&object {}", quote_name(&o.name)),
                Some(o) => format!("&{}", quote_name(&o.name)),
                None => format!("&`?{object}`"),
            },
            Expr::FuncAddr(func, _) => match self.program.functions.get(*func) {
                Some(f) if local(&f.name) || self.program.objects.iter().any(|o| o.name == f.name) => {
                    format!("&fn {}", quote_name(&f.name))
                }
                _ => format!("&{}", self.func(*func)),
            },
            Expr::LocalAddr(var, _) => format!("&{}", self.var(*var)),
            other => unreachable!("{other:?} should be an address"),
        }
    }
}

/// The memory variable of `function` called `name`.
pub(super) fn memory_variable(function: &Function, name: &str) -> Option<VarId> {
    let mut vars = function.vars.iter_enumerated();
    vars.find(|(_, v)| matches!(v.kind, VarKind::Memory { .. }) && v.name == name).map(|(id, _)| id)
}

/// The width of a variable, if it is a register.
pub(super) fn register_width(function: &Function, var: VarId) -> Option<Width> {
    match function.vars.get(var)?.kind {
        VarKind::Register(width) => Some(width),
        VarKind::Memory { .. } => None,
    }
}

/// How an access's order is written.
pub(super) fn order_mark(order: Order) -> String {
    if order == Order::Plain { String::new() } else { format!("!{}", order_name(order)) }
}

/// The name of an order.
pub(super) fn order_name(order: Order) -> &'static str {
    ORDERS.iter().find(|(o, _)| *o == order).expect("every order should have a name").1
}

fn text<'e>(text: impl Into<Cow<'static, str>>) -> Piece<'e> {
    Piece::Text(text.into())
}

fn part(expr: &Expr, expected: Option<Width>, float: bool) -> Piece<'_> {
    Piece::Part { expr, expected, float }
}

/// The width that an expression has wherever it stands: none for wide constants, which take the width of their
/// surroundings, and for what is made of them alone.
fn natural_width(expr: &Expr) -> Option<Width> {
    match expr {
        Expr::Const(_, width) => (*width == Width::BOOL).then_some(*width),
        Expr::Unary(_, operand) => natural_width(operand),
        Expr::Binary(op, ..) if op.is_comparison() => Some(Width::BOOL),
        Expr::Binary(_, l, r) | Expr::Ite(_, l, r) => natural_width(l).or_else(|| natural_width(r)),
        other => Some(other.width()),
    }
}

/// A constant where the width `expected` is asked for.
fn constant(value: u128, width: Width, expected: Option<Width>, float: bool) -> String {
    if width == Width::BOOL {
        return if value == 0 { "false" } else { "true" }.to_string();
    }
    if !(1..=128).contains(&width.0) {
        return format!("{value}:{width}");
    }
    let single = f32::from_bits(low32(value));
    let double = f64::from_bits(low64(value));
    match width.bits() {
        32 if float && single.is_finite() => format!("{single:?}f32"),
        64 if float && double.is_finite() => format!("{double:?}f64"),
        _ if expected.unwrap_or(DEFAULT_WIDTH) == width => format!("{}", width.signed(value)),
        _ => format!("{}:{width}", width.signed(value)),
    }
}

fn unary<'e>(op: UnOp, operand: &'e Expr, expected: Option<Width>, float: bool, to: &mut Vec<Piece<'e>>) {
    let sign = match op {
        UnOp::Not if natural_width(operand) == Some(Width::BOOL) => "!",
        UnOp::Not => "~",
        UnOp::Neg => "-",
        UnOp::FNeg => "-.",
    };
    let parentheses = match operand {
        Expr::Const(..) => op != UnOp::Not,
        other => matches!(other, Expr::Binary(..) | Expr::Unary(..)),
    };
    to.push(text(sign));
    push_part(operand, expected, float || op == UnOp::FNeg, parentheses, to);
}

fn push_part<'e>(
    e: &'e Expr,
    expected: Option<Width>,
    float: bool,
    parentheses: bool,
    to: &mut Vec<Piece<'e>>,
) {
    if parentheses {
        to.push(text("("));
    }
    to.push(part(e, expected, float));
    if parentheses {
        to.push(text(")"));
    }
}

fn binary<'e>(op: BinOp, left: &'e Expr, right: &'e Expr, expected: Option<Width>, to: &mut Vec<Piece<'e>>) {
    let natural = natural_width(left).or_else(|| natural_width(right));
    let asked = if op.is_comparison() { natural } else { natural.or(expected) };
    let sign = operator(op, natural == Some(Width::BOOL));
    push_part(left, asked, op.is_float(), needs_parentheses(sign, left, false), to);
    to.push(text(format!(" {} ", sign.0)));
    push_part(right, asked, op.is_float(), needs_parentheses(sign, right, true), to);
}

/// How an operator is written, and how strongly it binds.
fn operator(op: BinOp, on_truth_values: bool) -> (&'static str, u8) {
    match op {
        BinOp::And if on_truth_values => ("&&", 2),
        BinOp::Or if on_truth_values => ("||", 1),
        _ => {
            let found = OPERATORS.iter().find(|(o, ..)| *o == op);
            found.map(|&(_, sign, strength)| (sign, strength)).expect("every operator should have a sign")
        }
    }
}

/// Returns true if an operand needs parentheses: to be read back, or by people, who do not know C's table by heart.
fn needs_parentheses(parent: (&str, u8), operand: &Expr, right: bool) -> bool {
    let Expr::Binary(op, left, _) = operand else { return false };
    let on_truth_values = !op.is_comparison() && natural_width(left) == Some(Width::BOOL);
    let child = operator(*op, on_truth_values);
    let bitwise = |strength| matches!(strength, 3..=5 | 8);
    let comparison = |strength| matches!(strength, 6 | 7);
    let logical = |strength| matches!(strength, 1 | 2);
    if child.1 == parent.1 {
        return right || (child.0 != parent.0 && child.1 != 9) || comparison(child.1) || child.1 == 8;
    }
    child.1 < parent.1
        || bitwise(child.1)
        || bitwise(parent.1)
        || (comparison(child.1) && comparison(parent.1))
        || (logical(child.1) && logical(parent.1))
}
