//! Functions that verifiers define: SV-COMP's `__VERIFIER_…`, those that other verifiers add to them, and those of CBMC, ESBMC, Goblint and SMACK.
//!
//! Programs call them without a definition, often without a declaration. Taking one for a function of the program's surroundings
//! would make an assertion disappear, so that a name with such a prefix that is not known here is an error. What the
//! program defines itself is an ordinary function.

use super::Sema;
use crate::ast::{self, At, StmtKind};
use crate::hir::{Expr, ExprKind, Stmt, VarRef};
use crate::types::{FloatKind, IntKind, Ty, Type};

/// The prefixes of names that belong to verifiers.
const PREFIXES: [&str; 5] = ["__VERIFIER_", "__CPROVER_", "__ESBMC_", "__goblint_", "__SMACK_"];

/// What an intrinsic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// Its first argument should hold.
    Assert,
    /// Executions in which its first argument does not hold are of no interest.
    Assume,
    /// From here on, no other thread runs.
    AtomicBegin,
    /// The other threads run again.
    AtomicEnd,
    /// Calling it is an error.
    Error,
    /// The execution ends without a word.
    Exit,
    /// Its arguments are evaluated.
    Nothing,
}

const INTRINSICS: &[(&str, Meaning)] = &[
    ("assert", Meaning::Assert),
    ("__VERIFIER_assert", Meaning::Assert),
    ("__VERIFIER_assume", Meaning::Assume),
    ("__VERIFIER_atomic_begin", Meaning::AtomicBegin),
    ("__VERIFIER_atomic_end", Meaning::AtomicEnd),
    ("__VERIFIER_error", Meaning::Error),
    ("__VERIFIER_silent_exit", Meaning::Exit),
    ("__VERIFIER_printf", Meaning::Nothing),
    // Hints of Dartagnan and GenMC about loops.
    ("__VERIFIER_loop_begin", Meaning::Nothing),
    ("__VERIFIER_loop_bound", Meaning::Nothing),
    ("__VERIFIER_spin_end", Meaning::Nothing),
    ("__VERIFIER_spin_start", Meaning::Nothing),
    ("__CPROVER_assert", Meaning::Assert),
    ("__CPROVER_precondition", Meaning::Assert),
    ("__CPROVER_postcondition", Meaning::Assert),
    ("__CPROVER_assume", Meaning::Assume),
    ("__CPROVER_atomic_begin", Meaning::AtomicBegin),
    ("__CPROVER_atomic_end", Meaning::AtomicEnd),
    ("__CPROVER_cover", Meaning::Nothing),
    ("__CPROVER_fence", Meaning::Nothing),
    ("__CPROVER_input", Meaning::Nothing),
    ("__CPROVER_output", Meaning::Nothing),
    ("__CPROVER_printf", Meaning::Nothing),
    ("__ESBMC_assert", Meaning::Assert),
    ("__ESBMC_assume", Meaning::Assume),
    ("__ESBMC_atomic_begin", Meaning::AtomicBegin),
    ("__ESBMC_atomic_end", Meaning::AtomicEnd),
    ("__ESBMC_really_atomic_begin", Meaning::AtomicBegin),
    ("__ESBMC_really_atomic_end", Meaning::AtomicEnd),
    ("__ESBMC_cover", Meaning::Nothing),
    ("__ESBMC_yield", Meaning::Nothing),
    ("__goblint_assert", Meaning::Assert),
    ("__goblint_check", Meaning::Assert),
    ("__goblint_assume", Meaning::Assume),
    ("__goblint_globalize", Meaning::Nothing),
    ("__goblint_split_begin", Meaning::Nothing),
    ("__goblint_split_end", Meaning::Nothing),
];

fn meaning(name: &str) -> Option<Meaning> {
    INTRINSICS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

/// Returns true if a name belongs to verifiers.
fn is_reserved(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The part of `__VERIFIER_nondet_int` that names a type.
fn nondet_suffix(name: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)?.strip_prefix("nondet_"))
}

impl<'a> Sema<'a> {
    /// A call of an intrinsic that the program does not define, if `name` is one.
    pub(super) fn intrinsic_call(
        &mut self,
        name: &'a str,
        args: &'a [ast::Expr<'a>],
        at: At,
    ) -> Option<Expr> {
        if let Some(meaning) = meaning(name) {
            return Some(self.meant_call(name, meaning, args, at));
        }
        if !is_reserved(name) || self.is_modelled(name) {
            return None;
        }
        let is_declared = self.scopes[self.unit].names.get(name).is_some();
        match nondet_suffix(name) {
            Some(_) if is_declared && name.starts_with("__VERIFIER_") => None,
            Some(suffix) => match self.nondet_type(name, suffix) {
                Some(ty) => Some(self.builtin_call_with("__VERIFIER_nondet_any", ty, Vec::new(), at)),
                None => Some(self.wrong(at, format!("the type that '{name}' returns is not known"))),
            },
            None => Some(self.wrong(at, format!("'{name}' is an intrinsic of a verifier that is not known"))),
        }
    }

    fn meant_call(&mut self, name: &str, meaning: Meaning, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        let canonical = match meaning {
            Meaning::Assert => "__VERIFIER_assert",
            Meaning::Assume => "__VERIFIER_assume",
            Meaning::AtomicBegin => "__VERIFIER_atomic_begin",
            Meaning::AtomicEnd => "__VERIFIER_atomic_end",
            Meaning::Error => "__VERIFIER_error",
            Meaning::Exit => "abort",
            Meaning::Nothing => {
                let stmts = args.iter().map(|arg| Stmt::Expr(self.value(arg))).collect();
                let (ty, span) = (self.basic.void, self.span(at));
                return Expr { ty, span, kind: ExprKind::StmtExpr(stmts, None) };
            }
        };
        let takes_condition = matches!(meaning, Meaning::Assert | Meaning::Assume);
        let condition = match args.first() {
            Some(arg) if takes_condition => vec![self.condition(arg)],
            None if takes_condition => return self.wrong(at, format!("'{name}' takes a condition")),
            _ => Vec::new(),
        };
        self.builtin_call_with(canonical, self.basic.void, condition, at)
    }

    /// Reports a function of a verifier whose name is used without a call and that nothing defines.
    pub(super) fn check_reserved(&mut self, name: &str, at: At) {
        if is_reserved(name)
            && meaning(name).is_none()
            && nondet_suffix(name).is_none()
            && !self.is_modelled(name)
        {
            self.error(at, format!("'{name}' is an intrinsic of a verifier that is not known"));
        }
    }

    /// Returns true if a library model defines a function.
    fn is_modelled(&self, name: &str) -> bool {
        let function = self.linkage.external_functions.get(name);
        function.is_some_and(|&function| self.linkage.functions[function].definition.is_some())
    }

    /// The type that a function like `__VERIFIER_nondet_uint` returns: as declared, or as its name says.
    fn nondet_type(&mut self, name: &str, suffix: &str) -> Option<Ty> {
        if let Some(super::scope::Symbol::Function { ty, .. }) = self.scopes[self.unit].names.get(name)
            && let Type::Function { ret, .. } = *self.types.get(ty)
        {
            return Some(ret);
        }
        let ty = match suffix {
            "bool" | "_Bool" => Type::Bool,
            "char" => Type::Int(IntKind::Char),
            "signed_char" | "schar" | "s8" | "S8" => Type::Int(IntKind::SChar),
            "uchar" | "unsigned_char" | "u8" | "U8" => Type::Int(IntKind::UChar),
            "short" | "s16" | "S16" => Type::Int(IntKind::Short),
            "ushort" | "unsigned_short" | "u16" | "U16" => Type::Int(IntKind::UShort),
            "int" | "s32" | "S32" => Type::Int(IntKind::Int),
            "uint" | "unsigned" | "unsigned_int" | "u32" | "U32" => Type::Int(IntKind::UInt),
            "long" | "ssize_t" | "ptrdiff_t" => Type::Int(IntKind::Long),
            "ulong" | "unsigned_long" | "size_t" => Type::Int(IntKind::ULong),
            "longlong" | "long_long" | "s64" | "S64" | "loff_t" => Type::Int(IntKind::LongLong),
            "ulonglong" | "unsigned_long_long" | "u64" | "U64" | "sector_t" => Type::Int(IntKind::ULongLong),
            "int128" => Type::Int(IntKind::Int128),
            "uint128" => Type::Int(IntKind::UInt128),
            "float" => Type::Float(FloatKind::Float),
            "double" => Type::Float(FloatKind::Double),
            "pointer" | "charp" | "pchar" => return Some(self.basic.void_ptr),
            _ => return None,
        };
        Some(self.types.intern(ty))
    }

    /// CBMC's `__CPROVER_ASYNC_1: f(x);`: the call runs in a thread of its own.
    pub(super) fn async_statement(&mut self, inner: &'a ast::Stmt<'a>, at: At, out: &mut Vec<Stmt>) {
        let span = self.span(at);
        let call = match &inner.kind {
            StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Call(callee, args), .. }) if args.len() < 2 => {
                self.async_call(callee, args, at)
            }
            _ => None,
        };
        out.push(match call {
            Some(call) => Stmt::Expr(call),
            None => Stmt::Unsupported("a statement that runs in a thread of its own".to_owned(), span),
        });
    }

    /// `pthread_create(&handle, 0, f, x)`, if `f` is a function that a thread can run.
    fn async_call(&mut self, callee: &'a ast::Expr<'a>, args: &'a [ast::Expr<'a>], at: At) -> Option<Expr> {
        let span = self.span(at);
        let function = self.expr(callee);
        let Type::Function { params, prototype, variadic: false, .. } = self.types.get(function.ty).clone()
        else {
            return None;
        };
        let takes_pointer = |ty: &Ty| matches!(self.types.get(*ty), Type::Pointer(_));
        if (prototype && params.len() != args.len()) || !params.iter().all(takes_pointer) {
            return None;
        }
        let function = self.decay(function);
        let null = self.int_constant(0, self.basic.void_ptr, at);
        let arg = match (args.first(), params.is_empty()) {
            (None, true) => self.int_constant(0, self.basic.void_ptr, at),
            (Some(arg), false) => {
                let arg = self.value(arg);
                self.convert(arg, self.basic.void_ptr)
            }
            _ => return None,
        };
        let handle_ty = self.int_type(IntKind::ULong);
        let local = self.new_local("", handle_ty, span);
        let handle = Expr { ty: handle_ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
        let pointer = self.pointer_to(handle_ty);
        let handle = self.address(handle, pointer);
        let args = vec![handle, null, function, arg];
        Some(self.builtin_call_with("pthread_create", self.basic.int, args, at))
    }
}
