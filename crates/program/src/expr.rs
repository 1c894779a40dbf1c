//! Side-effect-free expressions over bit-vectors.
//!
//! Expressions are total: division by zero yields all ones (remainder: the dividend), as in SMT-LIB, and a shift by
//! the width or more yields zeros (or sign bits). Where C leaves such cases undefined, lowering guards them.
//! Reading memory ([`Expr::Load`]) is the one way in which an expression can have no value: at a bad address.

use crate::{FuncId, ObjectId, VarId};
use base::convert::low8;
use std::fmt;

/// A width in bits, from 1 to 128.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Width(pub u8);

impl Width {
    /// One bit: truth values.
    pub const BOOL: Width = Width(1);
    /// One byte.
    pub const BYTE: Width = Width(8);
    /// A C `int`.
    pub const INT: Width = Width(32);

    /// The width of so many bytes.
    pub fn of_bytes(bytes: u64) -> Width {
        debug_assert!((1..=16).contains(&bytes), "a scalar should have 1 to 16 bytes, not {bytes}");
        Width(low8(bytes * 8))
    }
    /// How many bits.
    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }
    /// How many bytes a value of this width takes in memory.
    pub fn bytes(self) -> u64 {
        u64::from(self.0).div_ceil(8)
    }
    /// All ones.
    pub fn mask(self) -> u128 {
        if self.0 >= 128 { u128::MAX } else { (1 << self.0) - 1 }
    }
    /// `value` cut to this width.
    pub fn truncate(self, value: u128) -> u128 {
        value & self.mask()
    }
    /// `value`, of this width, as a signed number.
    pub fn signed(self, value: u128) -> i128 {
        let unused = 128 - self.bits();
        (value << unused).cast_signed() >> unused
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The memory order of an access; plain accesses of different threads can race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Order {
    /// Not atomic.
    Plain,
    /// C11's `memory_order_relaxed`.
    Relaxed,
    /// C11's `memory_order_acquire` (and `consume`).
    Acquire,
    /// C11's `memory_order_release`.
    Release,
    /// C11's `memory_order_acq_rel`.
    AcqRel,
    /// C11's `memory_order_seq_cst`.
    SeqCst,
}

/// An expression; every node's width follows from its parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A constant; bits above the width are zero.
    Const(u128, Width),
    /// The value of a register of the current frame.
    Reg(VarId, Width),
    /// The address of a memory variable of the current frame.
    LocalAddr(VarId, Width),
    /// The address of a static object (of this thread's copy, if it is thread-local).
    ObjectAddr(ObjectId, Width),
    /// The address of a function.
    FuncAddr(FuncId, Width),
    /// The handle of the running thread, of the width of a pointer.
    SelfHandle(Width),
    /// The value in memory at an address.
    Load {
        /// Where.
        addr: Box<Expr>,
        /// How wide; a multiple of 8.
        width: Width,
        /// How ordered.
        order: Order,
    },
    /// An operation on one value.
    Unary(UnOp, Box<Expr>),
    /// An operation on two values.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A change of width or representation.
    Cast(Cast, Width, Box<Expr>),
    /// A choice by a truth value.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// One bit: both addresses are inside of one object, or just behind it. An object keeps its place when its life has ended.
    SameObject(Box<Expr>, Box<Expr>),
}

/// Operations on one value; the result has the operand's width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement; negation of truth values.
    Not,
    /// Two's complement negation.
    Neg,
    /// IEEE negation.
    FNeg,
}

/// Operations on two values of equal width (shifts included). Comparisons give one bit, all others the operands'
/// width. The `F` operations are IEEE 754, rounding to nearest, in the format that the width names ([`crate::float`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Eq,
    Ne,
    ULt,
    ULe,
    SLt,
    SLe,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FEq,
    FNe,
    FLt,
    FLe,
}

impl BinOp {
    /// Returns true if the result is a truth value.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | ULt | ULe | SLt | SLe | FEq | FNe | FLt | FLe)
    }
    /// Returns true if the operands are floating-point numbers.
    pub fn is_float(self) -> bool {
        use BinOp::*;
        matches!(self, FAdd | FSub | FMul | FDiv | FEq | FNe | FLt | FLe)
    }
}

/// Changes of width or representation. Float casts take and give the width of a format ([`crate::float`]) on the float side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cast {
    /// To a greater (or equal) width with zeros.
    Zext,
    /// To a greater (or equal) width with the sign.
    Sext,
    /// To a smaller (or equal) width.
    Trunc,
    /// Signed integer to float.
    SToF,
    /// Unsigned integer to float.
    UToF,
    /// Float to signed integer, towards zero, saturating (NaN gives 0).
    FToS,
    /// Float to unsigned integer, towards zero, saturating (NaN gives 0).
    FToU,
    /// Float to float.
    FToF,
}

/// The direct parts of an expression: of a shared or of an exclusive reference.
macro_rules! parts {
    ($expr:expr) => {
        match $expr {
            Expr::Load { addr, .. } => [Some(addr), None, None],
            Expr::Unary(_, e) | Expr::Cast(_, _, e) => [Some(e), None, None],
            Expr::Binary(_, l, r) | Expr::SameObject(l, r) => [Some(l), Some(r), None],
            Expr::Ite(c, t, e) => [Some(c), Some(t), Some(e)],
            Expr::Const(..)
            | Expr::Reg(..)
            | Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_) => [None, None, None],
        }
    };
}

impl Expr {
    /// The width of this expression's value.
    pub fn width(&self) -> Width {
        match self {
            Expr::Const(_, w)
            | Expr::Reg(_, w)
            | Expr::LocalAddr(_, w)
            | Expr::ObjectAddr(_, w)
            | Expr::FuncAddr(_, w)
            | Expr::SelfHandle(w)
            | Expr::Load { width: w, .. }
            | Expr::Cast(_, w, _) => *w,
            Expr::Unary(_, e) => e.width(),
            Expr::Binary(op, l, _) => {
                if op.is_comparison() {
                    Width::BOOL
                } else {
                    l.width()
                }
            }
            Expr::Ite(_, t, _) => t.width(),
            Expr::SameObject(..) => Width::BOOL,
        }
    }

    /// The constant `value`, cut to `width`.
    pub fn constant(value: u128, width: Width) -> Expr {
        Expr::Const(width.truncate(value), width)
    }
    /// A truth value.
    pub fn truth(value: bool) -> Expr {
        Expr::Const(u128::from(value), Width::BOOL)
    }
    /// This expression's value if it is a constant.
    pub fn as_const(&self) -> Option<u128> {
        if let Expr::Const(value, _) = self { Some(*value) } else { None }
    }
    /// The variable of the running frame that an address is computed from by its name: `&x`, `&x + e`, `&x - e`.
    pub fn local_base(&self) -> Option<VarId> {
        match self {
            Expr::LocalAddr(var, _) => Some(*var),
            Expr::Binary(BinOp::Add | BinOp::Sub, base, _) => base.local_base(),
            _ => None,
        }
    }
    /// `left op right`, folded when both are constant.
    pub fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
        debug_assert_eq!(left.width(), right.width(), "operands of {op:?} should have one width");
        if let (Expr::Const(l, w), Expr::Const(r, _)) = (&left, &right) {
            let result = if op.is_comparison() { Width::BOOL } else { *w };
            return Expr::Const(crate::interp::value::binary(op, *l, *r, *w), result);
        }
        Expr::Binary(op, Box::new(left), Box::new(right))
    }
    /// `op operand`, folded when constant.
    pub fn unary(op: UnOp, operand: Expr) -> Expr {
        match operand {
            Expr::Const(v, w) => Expr::Const(crate::interp::value::unary(op, v, w), w),
            Expr::Unary(UnOp::Not, inner) if op == UnOp::Not => *inner,
            other => Expr::Unary(op, Box::new(other)),
        }
    }
    /// `operand` as `width` bits, folded when constant or when nothing changes.
    pub fn cast(kind: Cast, width: Width, operand: Expr) -> Expr {
        let from = operand.width();
        match operand {
            Expr::Const(v, _) => Expr::Const(crate::interp::value::cast(kind, v, from, width), width),
            same if from == width && matches!(kind, Cast::Zext | Cast::Sext | Cast::Trunc | Cast::FToF) => {
                same
            }
            other => Expr::Cast(kind, width, Box::new(other)),
        }
    }
    /// `if cond then yes else no`, folded when `cond` is constant.
    pub fn ite(cond: Expr, yes: Expr, no: Expr) -> Expr {
        debug_assert_eq!(yes.width(), no.width(), "both sides of a choice should have one width");
        match cond.as_const() {
            Some(0) => no,
            Some(_) => yes,
            None => Expr::Ite(Box::new(cond), Box::new(yes), Box::new(no)),
        }
    }
    /// `!self`, for a truth value.
    pub fn negated(self) -> Expr {
        debug_assert_eq!(self.width(), Width::BOOL, "only truth values are negated");
        match self {
            Expr::Binary(BinOp::Eq, l, r) => Expr::Binary(BinOp::Ne, l, r),
            Expr::Binary(BinOp::Ne, l, r) => Expr::Binary(BinOp::Eq, l, r),
            other => Expr::unary(UnOp::Not, other),
        }
    }

    /// The direct parts of this expression, left to right.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let parts: [Option<&Expr>; 3] = parts!(self);
        parts.into_iter().flatten()
    }

    /// The same, to be changed.
    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let parts: [Option<&mut Expr>; 3] = parts!(self);
        parts.into_iter().flatten()
    }

    /// Calls `visit` on this expression and all its parts.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The same, to be changed: `visit` sees an expression before its parts.
    pub fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit(self);
        for child in self.children_mut() {
            child.walk_mut(visit);
        }
    }

    /// Returns true if any part reads memory.
    pub fn reads_memory(&self) -> bool {
        matches!(self, Expr::Load { .. }) || self.children().any(Expr::reads_memory)
    }
}
