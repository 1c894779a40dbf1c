//! The typed tree: what the type checker makes of the syntax tree, and what lowering consumes.
//!
//! Every name is resolved, every conversion explicit, every constant evaluated, every initialiser a list of scalar
//! stores at byte offsets. Only what is reachable from the entry function is here.
//!
//! # Conventions
//! * An expression is an *lvalue* (it designates an object) or an *rvalue* (it has a value). [`ExprKind::Var`],
//!   [`Deref`](ExprKind::Deref), [`Member`](ExprKind::Member) of an lvalue, [`Str`](ExprKind::Str) and
//!   [`CompoundLiteral`](ExprKind::CompoundLiteral) are lvalues. Reading an lvalue is an explicit
//!   [`Load`](ExprKind::Load); arrays and functions decay through an explicit [`AddrOf`](ExprKind::AddrOf) whose type is
//!   the pointer type.
//! * A *scalar* rvalue has integer, `_Bool`, pointer or floating type. Rvalues of record type exist too (calls,
//!   loads of records, conditionals): lowering copies them.
//! * Integer operations have operands and result of one type, after the usual arithmetic conversions. Comparisons,
//!   `!`, `&&` and `||` have type `int`. Conditions (`if`, `while`, `?:`, `&&`, `!`) are scalar rvalues of any type,
//!   true when unequal to zero.

use crate::types::{Ty, TypeTable};
use base::{IdxVec, Span, id_type};
use program::Barrier;

id_type!(
    /// An object with static storage: a global, a static local, a file-scope compound literal.
    GlobalId,
    "g"
);
id_type!(
    /// A function, defined or only declared.
    FunctionId,
    "fn"
);
id_type!(
    /// A parameter or automatic local of a function.
    LocalId,
    "l"
);
id_type!(
    /// A label of a function.
    LabelId,
    "label"
);
id_type!(
    /// A string literal.
    StrId,
    "s"
);

/// Everything reachable from the entry.
#[derive(Debug)]
pub struct Module {
    /// All types.
    pub types: TypeTable,
    /// Objects with static storage.
    pub globals: IdxVec<GlobalId, Global>,
    /// Functions; a body is present if the function is defined (by the program or by the library models).
    pub functions: IdxVec<FunctionId, Function>,
    /// String literals, with their terminating zero; wide ones in little-endian units.
    pub strings: IdxVec<StrId, Vec<u8>>,
    /// The entry function.
    pub entry: FunctionId,
    /// What runs instead of the entry function and calls it, if something has to happen before it (constructors).
    pub start: Option<FunctionId>,
    /// What is called when the program ends by a return from the entry function or by `exit`, if something has to happen then.
    pub finish: Option<FunctionId>,
    /// True if assertions that fail are errors; otherwise they end the execution.
    pub assertions: bool,
}

/// An object with static storage.
#[derive(Debug)]
pub struct Global {
    /// Its name; static locals are called `function.name`, and equal names get a suffix `.1`, `.2`, ….
    pub name: String,
    /// Its (complete) type.
    pub ty: Ty,
    /// Alignment asked for by attributes, if greater than the type's.
    pub align: u64,
    /// `_Thread_local`.
    pub thread_local: bool,
    /// True if it is defined anywhere (tentatively counts); if not, its initial value is unknown.
    pub defined: bool,
    /// Its initialiser: stores of constants, everything else zero. Values are restricted to
    /// [`ConstValue`]-like expressions, already evaluated.
    pub init: Vec<StaticInit>,
    /// True if it belongs to the library models.
    pub library: bool,
    /// Where it was declared.
    pub span: Span,
}

/// One constant in a static initialiser.
#[derive(Debug, Clone)]
pub struct StaticInit {
    /// Byte offset.
    pub offset: u64,
    /// For bit-fields, which bits of the unit at `offset`.
    pub bits: Option<BitField>,
    /// The constant.
    pub value: ConstValue,
}

/// A constant known before the program runs.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstValue {
    /// An integer of so many bytes (floats are given by their bits).
    Int {
        /// The value, truncated to the size.
        value: u128,
        /// How many bytes it takes.
        size: u64,
    },
    /// Bytes as they are (strings).
    Bytes(Vec<u8>),
    /// The address of something, plus bytes.
    Addr(AddrBase, i64),
}

/// What an address constant points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddrBase {
    /// A static object.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
    /// A string literal.
    Str(StrId),
}

/// Which bits of a storage unit a bit-field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitField {
    /// The unit's size in bytes, 1 to 16 (also 3, 5, …); the unit starts at the member's byte offset.
    pub unit: u64,
    /// The lowest bit.
    pub shift: u32,
    /// How many bits.
    pub width: u32,
    /// True if it is sign-extended when read.
    pub signed: bool,
    /// How many bytes of its memory location (C11, 3.14), which it may share with neighbours, lie before the unit.
    pub before: u64,
    /// The size of its memory location in bytes.
    pub location: u64,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name in the source.
    pub name: String,
    /// Its type: always a function type.
    pub ty: Ty,
    /// Its body, if defined.
    pub body: Option<Body>,
    /// Declared `noreturn` in any way.
    pub noreturn: bool,
    /// True if it belongs to the library models.
    pub library: bool,
    /// Where it was declared or defined.
    pub span: Span,
}

/// A function's body.
#[derive(Debug)]
pub struct Body {
    /// Parameters and automatic locals; static ones are globals.
    pub locals: IdxVec<LocalId, Local>,
    /// The parameters, in order.
    pub params: Vec<LocalId>,
    /// Names of labels.
    pub labels: IdxVec<LabelId, String>,
    /// Labels whose address is taken by `&&label`; the address of the n-th is the constant n + 1.
    pub address_labels: Vec<LabelId>,
    /// The variables of functions around this one that it uses.
    pub captures: Vec<Capture>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Where the closing brace stands.
    pub end: Span,
}

/// A variable of a function around a nested one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capture {
    /// The function that it belongs to.
    pub owner: FunctionId,
    /// The variable.
    pub outer: LocalId,
    /// A local pointer of the nested function, which has the variable's address from the beginning.
    pub local: LocalId,
}

/// A parameter or automatic local.
#[derive(Debug)]
pub struct Local {
    /// Its name in the source (not unique).
    pub name: String,
    /// Its type; a variable-length array has the type of a pointer to it, and [`Stmt::DeclVla`] allocates it.
    pub ty: Ty,
    /// Alignment asked for by attributes, if greater than the type's.
    pub align: u64,
    /// True if its address is taken anywhere (by `&`, decay of an array, …): if not, and if it is scalar, it is a register.
    pub address_taken: bool,
    /// Where it was declared.
    pub span: Span,
}

/// A statement.
#[derive(Debug)]
pub enum Stmt {
    /// Evaluated for its effects.
    Expr(Expr),
    /// Statements in order; also where several are needed in place of one.
    Block(Vec<Stmt>),
    /// A local's declaration is reached: without initialiser it becomes indeterminate.
    Decl {
        /// The local.
        local: LocalId,
        /// Its initialiser.
        init: Option<Init>,
        /// Where.
        span: Span,
    },
    /// A variable-length array: the local (of pointer type) gets the address of fresh bytes.
    DeclVla {
        /// The local.
        local: LocalId,
        /// The size in bytes, of type `size_t`.
        size: Expr,
        /// Where.
        span: Span,
    },
    /// `if`
    If {
        /// The condition.
        cond: Expr,
        /// Then.
        yes: Box<Stmt>,
        /// Else.
        no: Option<Box<Stmt>>,
    },
    /// `while`
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do … while`
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        cond: Expr,
    },
    /// `for`
    For {
        /// Declarations or an expression.
        init: Option<Box<Stmt>>,
        /// The condition; absent means true.
        cond: Option<Expr>,
        /// After each round.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
        /// Where.
        span: Span,
    },
    /// `switch`: the value is an integer rvalue (promoted); the cases are markers inside the body.
    Switch {
        /// The value.
        value: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `case first ... last:` of the innermost switch; bits truncated to the width of the switch's value, to be compared
    /// with its signedness.
    Case {
        /// The first value.
        first: u128,
        /// The last value.
        last: u128,
    },
    /// `default:` of the innermost switch.
    Default,
    /// A label.
    Label(LabelId),
    /// `goto label;`
    Goto(LabelId, Span),
    /// `goto *value;`, to one of `address_labels`.
    GotoComputed(Expr),
    /// `break`
    Break(Span),
    /// `continue`
    Continue(Span),
    /// `return`
    Return(Option<Expr>, Span),
    /// A fence written as `asm` (`mfence`, `sync`, `lwsync`); `None` is one whose kind has no model on weak machines.
    Fence(Option<Barrier>, Span),
    /// From here on, leaving the enclosing block (at its end or by a jump) makes this call: the attribute `cleanup`.
    Cleanup(Expr),
    /// The program is wrong if this is reached.
    Error(String, Span),
    /// Something that has no model.
    Unsupported(String, Span),
}

/// An initialiser: everything not mentioned is zero (for aggregates).
#[derive(Debug)]
pub struct Init {
    /// True if bytes not covered by `items` must be zeroed (aggregates with a braced list or string); false for scalars and
    /// whole-record copies.
    pub zero_fill: bool,
    /// The stores, in order; later ones win.
    pub items: Vec<InitItem>,
}

/// One store of an initialiser.
#[derive(Debug)]
pub struct InitItem {
    /// Byte offset.
    pub offset: u64,
    /// For bit-fields, which bits of the unit at `offset`.
    pub bits: Option<BitField>,
    /// A scalar or record rvalue of the member's type, or a [`ExprKind::Str`] lvalue of array type (copied whole).
    pub value: Expr,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Its type; for an lvalue, of the object designated.
    pub ty: Ty,
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ExprKind,
}

/// What is designated by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarRef {
    /// A parameter or automatic local.
    Local(LocalId),
    /// An object with static storage.
    Global(GlobalId),
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer, `_Bool` or pointer constant; bits above the type's width are zero.
    Int(u128),
    /// A floating constant: its bits, in the format of its type ([`program::float`]).
    Float(u128),
    /// The address constant of `&&label`.
    LabelAddr(LabelId),
    /// Lvalue: a variable.
    Var(VarRef),
    /// Lvalue: a string literal, of array type.
    Str(StrId),
    /// Lvalue of function type, only below [`ExprKind::AddrOf`] and as a callee.
    Function(FunctionId),
    /// Lvalue: what a pointer rvalue points to.
    Deref(Box<Expr>),
    /// A member of a record: an lvalue if the record is one.
    Member {
        /// The record.
        base: Box<Expr>,
        /// The member's byte offset (of the unit, for bit-fields).
        offset: u64,
        /// For bit-fields, which bits.
        bits: Option<BitField>,
    },
    /// Lvalue: an automatic compound literal; the local is (re-)initialised when this is evaluated.
    CompoundLiteral(LocalId, Box<Init>),
    /// The value of an lvalue.
    Load(Box<Expr>),
    /// The address of an lvalue; also decay.
    AddrOf(Box<Expr>),
    /// A conversion between scalar types, or to `void`. The types say which one.
    Convert(Box<Expr>),
    /// `-x`, on integers and floats.
    Neg(Box<Expr>),
    /// `~x`
    BitNot(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// An operation on two scalars of one type (for shifts, the right one may have a wider type).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Pointer plus integer times `scale` bytes; the integer is converted to `ptrdiff_t`; `negative` subtracts.
    PtrAdd {
        /// The pointer.
        ptr: Box<Expr>,
        /// The number of elements.
        index: Box<Expr>,
        /// An element's size.
        scale: u64,
        /// True if it is subtracted.
        negative: bool,
    },
    /// Difference of two pointers, in elements of `scale` bytes.
    PtrDiff {
        /// Minuend.
        left: Box<Expr>,
        /// Subtrahend.
        right: Box<Expr>,
        /// An element's size.
        scale: u64,
    },
    /// `&&`
    LogAnd(Box<Expr>, Box<Expr>),
    /// `||`
    LogOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`, both of this expression's type (or void).
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `lvalue = value`; the value has the lvalue's type, and is the result.
    Assign(Box<Expr>, Box<Expr>),
    /// `lvalue op= value` and `++lvalue`: computed in type `compute`, converted back; the result is the new value. On `_Atomic`
    /// objects it is one atomic step.
    AssignOp(Box<Compound>),
    /// GNU's `({ … })`: statements, then a value (of void type if there is none).
    StmtExpr(Vec<Stmt>, Option<Box<Expr>>),
    /// A call of a function with a prototype, or default-promoted arguments. `callee` is a pointer rvalue or
    /// [`ExprKind::Function`]. Builtins and library functions are called by name like any other; lowering knows them.
    Call {
        /// Whom.
        callee: Box<Expr>,
        /// The arguments: scalar or record rvalues.
        args: Vec<Expr>,
    },
    /// `__builtin_va_arg`: the next variadic argument, of this expression's type.
    VaArg(Box<Expr>),
    /// Something that has no model.
    Unsupported(String),
}

/// A compound assignment or increment.
#[derive(Debug)]
pub struct Compound {
    /// What is changed.
    pub lvalue: Expr,
    /// How.
    pub op: CompoundOp,
    /// The right operand: of type `compute` (of a shift, perhaps wider), or, for pointers, the (integer) number of elements.
    pub value: Expr,
    /// The type in which the operation happens (for pointers: the pointer type).
    pub compute: Ty,
    /// True if the result is the old value (`x++`).
    pub post: bool,
}

/// The operation of a compound assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompoundOp {
    /// Arithmetic in the type `compute`.
    Arith(BinaryOp),
    /// Pointer plus (or minus) elements of so many bytes.
    Pointer {
        /// An element's size.
        scale: u64,
        /// True if it is subtracted.
        negative: bool,
    },
}

/// Operations on two scalars of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}
