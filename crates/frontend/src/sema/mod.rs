//! The type checker: from the syntax trees of all units to one typed module.
//!
//! # How it goes
//! 1. *Declare* ([`decl`]): the file-scope names of every unit, in order, by C's rules. Names with external linkage are one
//!    entity across all units ([`linkage`]); a definition by the user wins over one of the library models.
//! 2. *Type on demand*: a work list starts at the entry function. Typing a body ([`stmt`], [`expr`]) refers to functions
//!    and objects; the first reference puts them on the list. What is never referred to is never looked at, so headers full
//!    of odd inline functions cost nothing.
//!
//! | file | from | to |
//! |---|---|---|
//! | [`declared`], [`records`], [`layout`] | specifiers and declarators | [`Ty`] |
//! | [`expr`], [`operators`], [`access`], [`calls`], [`builtins`], [`intrinsics`] | expressions | [`hir::Expr`] with every conversion explicit |
//! | [`convert`] | an expression and a type | decay, loads, promotions, conversions |
//! | [`fold`], [`constant`] | typed expressions | constants |
//! | [`literal`] | spellings | values |
//! | [`init`] | initialisers | stores at byte offsets |
//! | [`stmt`], [`locals`], [`assembly`] | statements | [`hir::Stmt`] |
//! | [`agreement`] | declarations in several units | complaints |
//! | [`symbols`], [`start`] | attributes of functions and objects | what names mean to the linker, what runs before and after |
//! | [`exports()`] | the units of a library | what others can call |
//!
//! # Invariants
//! * Every expression is folded when it is built, from folded parts: a constant operand *is* [`hir::ExprKind::Int`] or
//!   [`hir::ExprKind::Float`]. Folding never hides an undefined operation (a signed overflow, a division by zero): these
//!   stay operations, and only [`constant`], for places where C demands a constant, wraps them.
//! * While [`Sema::unevaluated`] is positive, the tree that is built will be thrown away; references do not count, and
//!   ids in it may be [`NO_ID`].
//! * Values have no `_Atomic` type: it is stripped by loads, assignments and calls.
//!
//! # Leniency
//! What gcc only warns about is accepted. All file-scope names of a unit are visible in all its bodies, also in those that
//! stand earlier; a *call* of a function that is declared only later is still typed like an implicit declaration.

mod access;
mod agreement;
mod assembly;
mod builtins;
mod calls;
mod captures;
mod composite;
mod constant;
mod convert;
mod decl;
mod declared;
mod exports;
mod expr;
mod extent;
mod fold;
mod init;
mod intrinsics;
mod layout;
mod linkage;
mod literal;
mod locals;
mod operators;
mod records;
mod scope;
mod start;
mod stmt;
mod symbols;
#[cfg(test)]
mod tests;
mod variable;

pub use exports::{Exports, exports};

use crate::Errors;
use crate::ast::{At, External};
use crate::hir;
use crate::source::{Files, Unit};
use crate::types::{FloatKind, IntKind, Ty, Type, TypeTable};
use base::{Idx, IdxVec, Span};
use linkage::{Linkage, Work};
use program::DataModel;
use report::{Diagnostic, Level};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::UnitScope;
use stmt::BodyBuilder;

/// A parsed translation unit.
#[derive(Debug)]
pub struct ParsedUnit<'a> {
    /// Its text and positions.
    pub unit: Unit<'a>,
    /// What stands at file scope.
    pub items: Vec<External<'a>>,
}

/// Maximum number of errors that are reported.
const MAX_ERRORS: usize = 20;

/// The number of ids in unevaluated trees that name nothing.
const NO_ID: u32 = u32::MAX;

/// Types everything reachable from `entry`; without a module there is an error among the diagnostics.
pub fn analyze<'a>(
    units: &'a [ParsedUnit<'a>],
    entry: &str,
    errors: &'a Errors,
    data_model: DataModel,
    files: &'a Files,
) -> (Option<hir::Module>, Vec<Diagnostic>) {
    let mut sema = Sema::new(units, errors, data_model, files);
    sema.declare_units();
    let Some(entry) = sema.entry(entry) else {
        return (None, sema.diagnostics);
    };
    let surroundings = sema.surroundings();
    sema.perform_all();
    let (start, finish) = sema.start_and_finish(entry, &surroundings);
    sema.into_module(entry, start, finish)
}

/// The types that the rules of C speak of.
#[derive(Clone, Copy)]
struct Basic {
    void: Ty,
    bool: Ty,
    int: Ty,
    uint: Ty,
    long: Ty,
    size: Ty,
    ptrdiff: Ty,
    double: Ty,
    void_ptr: Ty,
    char_ptr: Ty,
    va_list: Ty,
}

impl Basic {
    fn new(types: &mut TypeTable) -> Self {
        let is_32 = types.data_model == DataModel::Ilp32;
        let void = types.intern(Type::Void);
        let char = types.intern(Type::Int(IntKind::Char));
        Self {
            void,
            bool: types.intern(Type::Bool),
            int: types.intern(Type::Int(IntKind::Int)),
            uint: types.intern(Type::Int(IntKind::UInt)),
            long: types.intern(Type::Int(IntKind::Long)),
            size: types.intern(Type::Int(if is_32 { IntKind::UInt } else { IntKind::ULong })),
            ptrdiff: types.intern(Type::Int(if is_32 { IntKind::Int } else { IntKind::Long })),
            double: types.intern(Type::Float(FloatKind::Double)),
            void_ptr: types.intern(Type::Pointer(void)),
            char_ptr: types.intern(Type::Pointer(char)),
            va_list: types.argument_list(),
        }
    }
}

/// The state of the type checker.
struct Sema<'a> {
    units: &'a [ParsedUnit<'a>],
    /// What counts as an error.
    errors: &'a Errors,
    files: &'a Files,
    types: TypeTable,
    basic: Basic,
    /// The names of each unit; block scopes lie on top while a body is typed.
    scopes: Vec<UnitScope<'a>>,
    /// The unit being declared or typed.
    unit: usize,
    linkage: Linkage<'a>,
    queue: std::collections::VecDeque<Work>,
    globals: IdxVec<hir::GlobalId, hir::Global>,
    functions: IdxVec<hir::FunctionId, hir::Function>,
    /// Builtins by name and result type.
    builtin_ids: FxHashMap<(String, Ty), hir::FunctionId>,
    strings: IdxVec<hir::StrId, Vec<u8>>,
    string_ids: FxHashMap<Vec<u8>, hir::StrId>,
    /// How often each global name was given out.
    global_names: FxHashMap<String, u32>,
    /// The function being typed.
    body: Option<BodyBuilder<'a>>,
    /// The functions around a nested one, the outermost first.
    around: Vec<BodyBuilder<'a>>,
    /// Positive inside operands that are not evaluated (`sizeof`, `typeof`, dead branches of constant conditions).
    unevaluated: u32,
    /// Positive while diagnostics are held back.
    quiet: u32,
    /// True if a static initialiser is being typed.
    in_static_init: bool,
    /// Assignments of the sizes of variable-length arrays that were declared, still to be put where they are evaluated.
    sizes: Vec<hir::Expr>,
    /// Aliases and resolvers that the unit being declared asks for.
    aliases: Vec<symbols::Alias>,
    resolvers: Vec<(linkage::FunctionRef, String, At)>,
    diagnostics: Vec<Diagnostic>,
    n_errors: usize,
    /// Names already warned about as implicitly declared.
    implicit: FxHashSet<&'a str>,
}

impl<'a> Sema<'a> {
    fn new(units: &'a [ParsedUnit<'a>], errors: &'a Errors, data_model: DataModel, files: &'a Files) -> Self {
        let mut types = TypeTable::new(data_model);
        let basic = Basic::new(&mut types);
        Self {
            units,
            errors,
            files,
            types,
            basic,
            scopes: units.iter().map(|_| UnitScope::default()).collect(),
            unit: 0,
            linkage: Linkage::default(),
            queue: std::collections::VecDeque::new(),
            globals: IdxVec::new(),
            functions: IdxVec::new(),
            builtin_ids: FxHashMap::default(),
            strings: IdxVec::new(),
            string_ids: FxHashMap::default(),
            global_names: FxHashMap::default(),
            body: None,
            around: Vec::new(),
            unevaluated: 0,
            quiet: 0,
            in_static_init: false,
            sizes: Vec::new(),
            aliases: Vec::new(),
            resolvers: Vec::new(),
            diagnostics: Vec::new(),
            n_errors: 0,
            implicit: FxHashSet::default(),
        }
    }

    /// Declares the file-scope names of all units.
    fn declare_units(&mut self) {
        self.collect_defined_names();
        for unit in 0..self.units.len() {
            self.unit = unit;
            self.declare_unit();
        }
    }

    /// Types everything on the work list, and what that refers to.
    fn perform_all(&mut self) {
        while let Some(work) = self.queue.pop_front() {
            self.perform(work);
        }
    }

    /// The module, unless there were errors.
    fn into_module(
        mut self,
        entry: hir::FunctionId,
        start: Option<hir::FunctionId>,
        finish: Option<hir::FunctionId>,
    ) -> (Option<hir::Module>, Vec<Diagnostic>) {
        self.complete_globals();
        if self.n_errors > 0 {
            return (None, self.diagnostics);
        }
        let module = hir::Module {
            types: self.types,
            globals: self.globals,
            functions: self.functions,
            strings: self.strings,
            entry,
            start,
            finish,
            assertions: self.errors.assertions,
        };
        (Some(module), self.diagnostics)
    }

    fn span(&self, at: At) -> Span {
        self.units[self.unit].unit.span(at)
    }

    fn report(&mut self, level: Level, at: At, message: String) {
        if self.quiet > 0 || (level == Level::Error && self.n_errors >= MAX_ERRORS) {
            return;
        }
        if level == Level::Error {
            self.n_errors += 1;
        }
        let diagnostic = self.units[self.unit].unit.diagnostic(self.files, level, at, 1, message);
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, at: At, message: impl Into<String>) {
        self.report(Level::Error, at, message.into());
    }

    fn warn(&mut self, at: At, message: impl Into<String>) {
        self.report(Level::Warning, at, message.into());
    }

    /// Runs `f` on an operand that is not evaluated: nothing in it is referenced.
    fn unevaluated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.unevaluated += 1;
        let result = f(self);
        self.unevaluated -= 1;
        result
    }

    /// Runs `f` without diagnostics and without counting references.
    fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.quiet += 1;
        let result = self.unevaluated(f);
        self.quiet -= 1;
        result
    }

    /// An expression that stands for a mistake or for something without a model.
    fn unsupported(&self, ty: Ty, span: Span, text: impl Into<String>) -> hir::Expr {
        hir::Expr { ty, span, kind: hir::ExprKind::Unsupported(text.into()) }
    }

    /// Reports an error and gives something to go on with.
    fn wrong(&mut self, at: At, message: impl Into<String>) -> hir::Expr {
        let message = message.into();
        self.error(at, message.clone());
        self.unsupported(self.basic.int, self.span(at), message)
    }

    fn pointer_to(&mut self, ty: Ty) -> Ty {
        self.types.intern(Type::Pointer(ty))
    }

    fn int_type(&mut self, kind: IntKind) -> Ty {
        self.types.intern(Type::Int(kind))
    }

    fn is_ilp32(&self) -> bool {
        self.types.data_model == DataModel::Ilp32
    }

    /// The id of a string literal with these bytes.
    fn string_id(&mut self, bytes: Vec<u8>) -> hir::StrId {
        if self.unevaluated > 0 {
            return hir::StrId::new(NO_ID as usize);
        }
        if let Some(&id) = self.string_ids.get(&bytes) {
            return id;
        }
        let id = self.strings.push(bytes.clone());
        self.string_ids.insert(bytes, id);
        id
    }
}
