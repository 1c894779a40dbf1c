//! The syntax tree of a translation unit: untyped, as written, with typedef names resolved only as far as parsing
//! needs them.
//!
//! Names borrow from the source text. Every node that a diagnostic or a step may name has `at`, a byte offset into
//! its unit's text; [`crate::source::Unit`] turns offsets into presumed files, lines and columns.

/// A byte offset into the unit's text.
pub type At = u32;

/// An expression.
#[derive(Debug)]
pub struct Expr<'a> {
    /// Where its (main) token stands.
    pub at: At,
    /// What it is.
    pub kind: ExprKind<'a>,
}

/// What an expression is.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum ExprKind<'a> {
    Ident(&'a str),
    /// Spelled as in the source, suffixes included.
    Number(&'a str),
    /// Spelled as in the source, prefix and quotes included.
    Char(&'a str),
    /// Adjacent literals, each spelled as in the source.
    Str(Vec<&'a str>),
    Binary(BinaryOp, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `=` (`None`) or a compound assignment.
    Assign(Option<BinaryOp>, Box<Expr<'a>>, Box<Expr<'a>>),
    Unary(UnaryOp, Box<Expr<'a>>),
    /// `c ? a : b`; without `a` it is GNU's `c ?: b`.
    Cond(Box<Expr<'a>>, Option<Box<Expr<'a>>>, Box<Expr<'a>>),
    Comma(Box<Expr<'a>>, Box<Expr<'a>>),
    Cast(Box<TypeName<'a>>, Box<Expr<'a>>),
    CompoundLiteral(Box<TypeName<'a>>, Vec<InitItem<'a>>),
    Call(Box<Expr<'a>>, Vec<Expr<'a>>),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `.field`
    Member(Box<Expr<'a>>, &'a str),
    /// `->field`
    Arrow(Box<Expr<'a>>, &'a str),
    SizeofExpr(Box<Expr<'a>>),
    SizeofType(Box<TypeName<'a>>),
    /// `__alignof__` of an object; the flag is true for the standard's `_Alignof`.
    AlignofExpr(Box<Expr<'a>>, bool),
    AlignofType(Box<TypeName<'a>>, bool),
    /// GNU's `({ … })`.
    StmtExpr(Vec<Stmt<'a>>),
    /// GNU's `&&label`.
    LabelAddr(&'a str),
    /// `_Generic`; `None` is `default`.
    Generic(Box<Expr<'a>>, Vec<(Option<TypeName<'a>>, Expr<'a>)>),
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr<'a>>, Box<TypeName<'a>>),
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName<'a>>, Box<TypeName<'a>>),
    /// `__builtin_offsetof(type, member-designator)`
    Offsetof(Box<TypeName<'a>>, Vec<Designator<'a>>),
    /// `__builtin_choose_expr(c, a, b)`
    ChooseExpr(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogOr,
}

/// Unary operators, prefix and postfix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Neg,
    BitNot,
    Not,
    Deref,
    AddrOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
    /// `__extension__` in front of an expression: no meaning.
    Extension,
}

/// Which part of an aggregate an initialiser (or `offsetof`) names.
#[derive(Debug)]
pub enum Designator<'a> {
    /// `.field`, or old-style `field:`.
    Field(&'a str),
    /// `[index]`
    Index(Expr<'a>),
    /// `[first ... last]`
    Range(Expr<'a>, Expr<'a>),
}

/// One item of a braced initialiser.
#[derive(Debug)]
pub struct InitItem<'a> {
    /// Empty if the item takes the next place.
    pub designators: Vec<Designator<'a>>,
    /// The value.
    pub init: Init<'a>,
}

/// An initialiser.
#[derive(Debug)]
pub enum Init<'a> {
    /// A single expression.
    Expr(Expr<'a>),
    /// A braced list.
    List(At, Vec<InitItem<'a>>),
}

/// An attribute, GNU or C23, or `_Alignas`, or an `asm` label: name and uninterpreted arguments.
#[derive(Debug)]
pub struct Attribute<'a> {
    /// Where its name stands.
    pub at: At,
    /// Without surrounding underscores: `packed`, `aligned`, `noreturn`, `alignas`, `asm`, …
    pub name: &'a str,
    /// Parsed arguments where they are expressions; arguments that are no expressions are dropped.
    pub args: Vec<Expr<'a>>,
    /// `_Alignas(type)` and `aligned(…)` of a type.
    pub type_arg: Option<Box<TypeName<'a>>>,
}

/// Type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

/// Storage classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// Declaration specifiers.
#[derive(Debug, Default)]
pub struct Specifiers<'a> {
    /// The storage class, if any.
    pub storage: Option<StorageClass>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline` in any spelling.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// Qualifiers.
    pub quals: Quals,
    /// The type; `None` is implicit `int`.
    pub ty: Option<TypeSpec<'a>>,
    /// Attributes anywhere among the specifiers.
    pub attributes: Vec<Attribute<'a>>,
}

/// The type part of declaration specifiers.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum TypeSpec<'a> {
    /// Keywords in normalised spelling and source order: `unsigned`, `long`, `long`, `int`, `_Bool`, `__int128`, …
    Basic(Vec<&'a str>),
    Record {
        is_union: bool,
        tag: Option<&'a str>,
        fields: Option<Vec<Declaration<'a>>>,
        attributes: Vec<Attribute<'a>>,
        /// `#pragma pack(n)` in force at the definition.
        pack: Option<u32>,
    },
    Enum {
        tag: Option<&'a str>,
        items: Option<Vec<EnumItem<'a>>>,
        attributes: Vec<Attribute<'a>>,
    },
    Typedef(&'a str),
    TypeofExpr(Box<Expr<'a>>),
    TypeofType(Box<TypeName<'a>>),
    Atomic(Box<TypeName<'a>>),
    /// `__auto_type`
    Auto,
}

/// An enumerator.
#[derive(Debug)]
pub struct EnumItem<'a> {
    /// Where it stands.
    pub at: At,
    /// Its name.
    pub name: &'a str,
    /// Its value, if given.
    pub value: Option<Expr<'a>>,
}

/// A step of a declarator, from the name outwards: the first one is what the name *is*.
#[derive(Debug)]
pub enum Derivation<'a> {
    /// `*quals`
    Pointer(Quals),
    /// `[size]`; `None` is `[]` (or `[*]`).
    Array(Option<Box<Expr<'a>>>),
    /// `(parameters)`
    Function(Params<'a>),
}

/// A parameter list.
#[derive(Debug, Default)]
pub struct Params<'a> {
    /// Each with exactly one declarator (possibly unnamed); `(void)` is an empty list with `prototype`.
    pub params: Vec<Declaration<'a>>,
    /// True if it ends in `...`.
    pub variadic: bool,
    /// True if it declares parameter types: false for `()` and K&R lists.
    pub prototype: bool,
    /// The names of a K&R list.
    pub names: Vec<&'a str>,
}

/// A declarator.
#[derive(Debug, Default)]
pub struct Declarator<'a> {
    /// Where the name stands (or would).
    pub at: At,
    /// `None` in abstract declarators.
    pub name: Option<&'a str>,
    /// From the name outwards.
    pub derivations: Vec<Derivation<'a>>,
    /// Attributes and `asm` label.
    pub attributes: Vec<Attribute<'a>>,
}

/// A type name, as in casts and `sizeof`.
#[derive(Debug)]
pub struct TypeName<'a> {
    /// Specifiers.
    pub specifiers: Specifiers<'a>,
    /// The abstract declarator.
    pub declarator: Declarator<'a>,
}

/// A declarator with what may follow it.
#[derive(Debug)]
pub struct InitDeclarator<'a> {
    /// The declarator.
    pub declarator: Declarator<'a>,
    /// A bit-field's width.
    pub bits: Option<Expr<'a>>,
    /// The initialiser.
    pub init: Option<Init<'a>>,
}

/// A declaration: of objects, functions, types, fields or a parameter.
#[derive(Debug)]
pub struct Declaration<'a> {
    /// Where it begins.
    pub at: At,
    /// Specifiers.
    pub specifiers: Specifiers<'a>,
    /// Declarators; none for `struct S { … };`.
    pub declarators: Vec<InitDeclarator<'a>>,
}

/// A function definition.
#[derive(Debug)]
pub struct FunctionDef<'a> {
    /// Where it begins.
    pub at: At,
    /// Specifiers.
    pub specifiers: Specifiers<'a>,
    /// Its declarator: the first derivation is the function's own parameter list.
    pub declarator: Declarator<'a>,
    /// Declarations of K&R parameters.
    pub knr: Vec<Declaration<'a>>,
    /// The body's statements.
    pub body: Vec<Stmt<'a>>,
    /// Where the body's closing brace stands.
    pub end: At,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt<'a> {
    /// Where it begins.
    pub at: At,
    /// What it is.
    pub kind: StmtKind<'a>,
}

/// What a statement is.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum StmtKind<'a> {
    Empty,
    Expr(Expr<'a>),
    Block(Vec<Stmt<'a>>),
    Decl(Declaration<'a>),
    /// GNU's nested function.
    Function(Box<FunctionDef<'a>>),
    If(Expr<'a>, Box<Stmt<'a>>, Option<Box<Stmt<'a>>>),
    While(Expr<'a>, Box<Stmt<'a>>),
    DoWhile(Box<Stmt<'a>>, Expr<'a>),
    For(Option<Box<Stmt<'a>>>, Option<Expr<'a>>, Option<Expr<'a>>, Box<Stmt<'a>>),
    Switch(Expr<'a>, Box<Stmt<'a>>),
    Label(&'a str, Box<Stmt<'a>>),
    /// `case first:` or `case first ... last:`
    Case(Expr<'a>, Option<Expr<'a>>, Box<Stmt<'a>>),
    Default(Box<Stmt<'a>>),
    Goto(&'a str),
    /// `goto *address;`
    GotoComputed(Expr<'a>),
    Break,
    Continue,
    Return(Option<Expr<'a>>),
    Asm(Asm<'a>),
    /// `_Static_assert`, already parsed; the condition is checked by the type checker.
    StaticAssert(Expr<'a>),
}

/// An `asm` statement.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Asm<'a> {
    /// Template literals, spelled as in the source.
    pub template: Vec<&'a str>,
    pub outputs: Vec<AsmOperand<'a>>,
    pub inputs: Vec<AsmOperand<'a>>,
    /// Clobber literals, spelled as in the source.
    pub clobbers: Vec<&'a str>,
    /// Labels of `asm goto`.
    pub labels: Vec<&'a str>,
}

/// An operand of an `asm` statement: `[name] "constraint" (value)`.
#[derive(Debug)]
pub struct AsmOperand<'a> {
    /// Its symbolic name.
    pub name: Option<&'a str>,
    /// Constraint literals, spelled as in the source.
    pub constraint: Vec<&'a str>,
    /// What it is.
    pub value: Expr<'a>,
}

/// What stands at file scope.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum External<'a> {
    Decl(Declaration<'a>),
    Function(FunctionDef<'a>),
    Asm(At, Asm<'a>),
    StaticAssert(Expr<'a>),
    /// `#pragma weak name` and `#pragma weak name = target`.
    Weak(At, &'a str, Option<&'a str>),
}
