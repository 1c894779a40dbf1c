//! What happens before the entry function and after it: constructors, destructors, and the choices of `ifunc` resolvers.
//!
//! If there is anything of the sort, the program starts in a function of our own:
//!
//! ```c
//! int start(int argc, char **argv) {
//!     f_pointer = resolve_f();          // for each function with a resolver that is referred to
//!     constructor_1(); …                // by ascending priority, those without one last
//!     return main(argc, argv);          // then `finish`, as `exit` does, too
//! }
//! void finish(void) {
//!     // after what `atexit` registered
//!     destructor_1(); …                 // by descending priority, those without one first
//! }
//! ```
//!
//! GCC leaves the order among equal priorities open; it is taken to be that of the text, and the reverse for destructors, as without
//! optimisation. Constructors run although nothing refers to them.

use super::Sema;
use super::linkage::{FunctionRef, Rank};
use crate::hir::{self, Body, Expr, ExprKind, FunctionId, Local, LocalId, Stmt, VarRef};
use crate::types::{Ty, Type};
use base::{IdxVec, Span};

/// What runs before and after the entry function.
#[derive(Default)]
pub(super) struct Surroundings {
    constructors: Vec<FunctionId>,
    destructors: Vec<FunctionId>,
}

impl<'a> Sema<'a> {
    /// Refers to all constructors and destructors, so that their bodies are typed.
    pub(super) fn surroundings(&mut self) -> Surroundings {
        Surroundings {
            constructors: self.by_priority(|sema, function| sema.linkage.functions[function].constructor),
            destructors: {
                let mut all = self.by_priority(|sema, function| sema.linkage.functions[function].destructor);
                all.reverse();
                all
            },
        }
    }

    fn by_priority(&mut self, priority: impl Fn(&Self, FunctionRef) -> Option<u32>) -> Vec<FunctionId> {
        let defined = |sema: &Self, function: FunctionRef| {
            let entity = &sema.linkage.functions[function];
            entity.definition.map(|(unit, definition)| (unit, definition.at))
        };
        let ids: Vec<FunctionRef> = self.linkage.functions.ids().collect();
        let mut found: Vec<_> = ids
            .into_iter()
            .filter_map(|function| Some((priority(self, function)?, defined(self, function)?, function)))
            .filter(|(_, _, function)| self.linkage.functions[*function].rank > Rank::Library)
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, _, function)| self.function_id(function)).collect()
    }

    /// The functions that run before and after the entry function, if there is anything for them to do.
    pub(super) fn start_and_finish(
        &mut self,
        entry: FunctionId,
        surroundings: &Surroundings,
    ) -> (Option<FunctionId>, Option<FunctionId>) {
        let Surroundings { constructors, destructors } = surroundings;
        let finish = (!destructors.is_empty()).then(|| self.finish_function(entry, destructors));
        let is_plain = constructors.is_empty() && destructors.is_empty() && self.linkage.chosen.is_empty();
        let start = (!is_plain).then(|| self.start_function(entry, constructors));
        (start, finish)
    }

    fn start_function(&mut self, entry: FunctionId, constructors: &[FunctionId]) -> FunctionId {
        let (span, ty) = (self.functions[entry].span, self.functions[entry].ty);
        let mut stmts = Vec::new();
        for (function, pointer) in std::mem::take(&mut self.linkage.chosen) {
            let choice = self.choice(function, pointer, span);
            stmts.push(Stmt::Expr(choice));
        }
        for &constructor in constructors {
            stmts.push(self.plain_call(constructor, span));
        }
        let Type::Function { ret, params, .. } = self.types.get(ty).clone() else {
            unreachable!("the entry function should have a function type");
        };
        let n_params = self.functions[entry].body.as_ref().map_or(0, |body| body.params.len());
        let mut locals = IdxVec::new();
        let params: Vec<LocalId> = (0..n_params)
            .map(|n| {
                let ty = params.get(n).copied().unwrap_or(self.basic.int);
                let name = format!("arg{n}");
                locals.push(Local { name, ty, align: 0, address_taken: false, span })
            })
            .collect();
        let args = params.iter().map(|&param| {
            let ty = locals[param].ty;
            let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(param)) };
            Expr { ty, span, kind: ExprKind::Load(Box::new(variable)) }
        });
        let args: Vec<Expr> = args.collect();
        let call = self.call_of(entry, args, ret, span);
        if matches!(self.types.get(ret), Type::Void) {
            stmts.push(Stmt::Expr(call));
            stmts.push(Stmt::Return(None, span));
        } else {
            stmts.push(Stmt::Return(Some(call), span));
        }
        self.synthetic_function("__threadproof_start", ty, locals, params, stmts, span)
    }

    fn finish_function(&mut self, entry: FunctionId, destructors: &[FunctionId]) -> FunctionId {
        let span = self.functions[entry].span;
        let called = destructors.iter().copied();
        let stmts = called.map(|function| self.plain_call(function, span)).collect();
        let ty = self.types.intern(Type::Function {
            ret: self.basic.void,
            params: Vec::new(),
            variadic: false,
            prototype: true,
        });
        self.synthetic_function("__threadproof_finish", ty, IdxVec::new(), Vec::new(), stmts, span)
    }

    /// `pointer = resolver();`
    fn choice(&mut self, function: FunctionRef, pointer: hir::GlobalId, span: Span) -> Expr {
        let ty = self.globals[pointer].ty;
        let resolver =
            self.linkage.functions[function].resolver.expect("a chosen function should have a resolver");
        let resolver = self.function_id(resolver);
        let ret = match *self.types.get(self.functions[resolver].ty) {
            Type::Function { ret, .. } => ret,
            _ => ty,
        };
        let value = self.call_of(resolver, Vec::new(), ret, span);
        let value = self.convert(value, ty);
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Global(pointer)) };
        Expr { ty, span, kind: ExprKind::Assign(Box::new(variable), Box::new(value)) }
    }

    /// A call without arguments; glibc passes those of `main`, which has no model.
    fn plain_call(&mut self, function: FunctionId, span: Span) -> Stmt {
        let callee = &self.functions[function];
        let (name, ty) = (callee.name.clone(), callee.ty);
        let n_params = callee.body.as_ref().map_or(0, |body| body.params.len());
        if n_params > 0 {
            return Stmt::Unsupported(
                format!("arguments of '{name}', which runs before or after the program"),
                span,
            );
        }
        let Type::Function { ret, .. } = *self.types.get(ty) else {
            unreachable!("a function should have a function type");
        };
        Stmt::Expr(self.call_of(function, Vec::new(), ret, span))
    }

    fn call_of(&mut self, function: FunctionId, args: Vec<Expr>, ret: Ty, span: Span) -> Expr {
        let ty = self.functions[function].ty;
        let callee = Box::new(Expr { ty, span, kind: ExprKind::Function(function) });
        Expr { ty: self.unatomic(ret), span, kind: ExprKind::Call { callee, args } }
    }

    fn synthetic_function(
        &mut self,
        name: &str,
        ty: Ty,
        locals: IdxVec<LocalId, Local>,
        params: Vec<LocalId>,
        stmts: Vec<Stmt>,
        span: Span,
    ) -> FunctionId {
        let (labels, address_labels) = (IdxVec::new(), Vec::new());
        let body =
            Some(Body { locals, params, labels, address_labels, captures: Vec::new(), stmts, end: span });
        self.functions.push(hir::Function {
            name: name.to_owned(),
            ty,
            body,
            noreturn: false,
            library: true,
            span,
        })
    }
}
