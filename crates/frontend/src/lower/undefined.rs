//! Calls of undefined functions: neither the program, a model nor a table defines them.
//!
//! What such a function does is the user's to say ([`Undefined`]); the verdict's assumptions repeat the choice. By default it returns
//! any value of its type, and if it gets a pointer, it may write what its arguments lead to, and what earlier calls of such functions were given. What
//! that can be is known only when all functions were lowered, and is not for lowering to find out. Therefore the call becomes one of
//! a function that has no model ([`opaque`](super::opaque)), under a name by which it is recognised ([`program::UNDEFINED_FUNCTION`]): its body is written by
//! `semantics::environment`.
//!
//! An access that may be there is no race. So where it matters who accesses what, there is a version of the program without such bodies, for violations
//! ([`Checks::environment`](super::Checks::environment) is not set): the execution splits, in one the function does what has no model, in the other it does nothing.

use super::function::Builder;
use crate::hir::{self, ExprKind};
use crate::library::Undefined;
use crate::types::{Ty, Type, TypeTable};
use program::{Action, Expr, Op, Width};

/// Names that only the compiler can give a meaning: without a model, nothing is known about them.
const COMPILER_PREFIXES: [&str; 4] = ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"];

/// More elements of an array are not looked at one by one.
const MAX_ELEMENTS: u64 = 64;

/// What is assumed of an undefined function that is given nothing to write.
const CHANGES_NOTHING: &str = "and changes nothing else";
/// What is assumed of an undefined function that is given a pointer.
const WRITES: &str = "and may write what undefined functions are given pointers to";
/// What is assumed of all of these.
const ENVIRONMENT: &str = "undefined functions write any numbers, null, and pointers to memory that they are given, only while they are called; they free nothing and take no lock of the program";

impl<'m> Builder<'_, 'm> {
    /// A function that is defined nowhere (SOUNDNESS: A14).
    pub(super) fn call_unknown(
        &mut self,
        function: &'m hir::Function,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Expr {
        let name = &function.name;
        let is_opaque = self.ctx.checks.foreign_accesses && !self.ctx.checks.environment;
        if is_opaque && !function.noreturn {
            return self.call_unknown_accesses(name, expr, args, wanted);
        }
        let is_of_compiler = COMPILER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let writes = self.ctx.undefined == Undefined::WritesArguments && self.gives_pointers(args);
        if writes && !is_of_compiler && !function.noreturn {
            return self.call_writing(name, expr, args, wanted);
        }
        args.iter().for_each(|arg| self.effects(arg));
        self.span = expr.span;
        if is_of_compiler {
            return self.no_value(&format!("call of `{name}`"));
        }
        if function.noreturn {
            self.ctx.assume(expr.span, format!("`{name}` is not defined: it ends the program"));
            self.end(Action::Exit);
            return Expr::constant(0, Width::INT);
        }
        if self.ctx.undefined == Undefined::Anything {
            return self.no_value(&format!("call of `{name}`, which is not defined"));
        }
        self.assume_of(name, CHANGES_NOTHING);
        self.undefined_value(name, expr, wanted)
    }

    /// A function that may write what it is given.
    fn call_writing(&mut self, name: &str, expr: &'m hir::Expr, args: &'m [hir::Expr], wanted: bool) -> Expr {
        let value = |builder: &mut Self, arg: &'m hir::Expr| match builder.ctx.is_record(arg.ty) {
            true => builder.argument(arg),
            false => builder.summary_argument(arg),
        };
        let values: Vec<Expr> = args.iter().map(|arg| value(self, arg)).collect();
        self.span = expr.span;
        self.assume_of(name, WRITES);
        self.ctx.assume(base::Span::NOWHERE, ENVIRONMENT.to_owned());
        // What it writes cannot be told from what nothing ever set.
        self.ctx.arbitrary_memory = true;
        let width = self.plain_width(expr.ty).filter(|_| wanted);
        let result = self.call_undefined(name, values, width);
        result.unwrap_or_else(|| self.undefined_value(name, expr, wanted))
    }

    /// The same where it matters who accesses what: an access that may be there is no race, so all that is given away has no model.
    fn call_unknown_accesses(
        &mut self,
        name: &str,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Expr {
        let values = self.opaque_arguments(args);
        self.span = expr.span;
        if COMPILER_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            return self.opaque(format!("call of `{name}`"), &values);
        }
        match self.ctx.undefined {
            Undefined::Anything => {
                return self.opaque(format!("call of `{name}`, which is not defined"), &values);
            }
            Undefined::WritesArguments if self.gives_pointers(args) => {
                self.assume_of(name, WRITES);
                let width = self.plain_width(expr.ty);
                let result = self.opaque_or_any(name, &values, width.unwrap_or(self.ctx.model.pointer()));
                if width.is_some() {
                    return result;
                }
            }
            Undefined::WritesArguments | Undefined::Pure => self.assume_of(name, CHANGES_NOTHING),
        }
        self.undefined_value(name, expr, wanted)
    }

    fn assume_of(&mut self, name: &str, what: &str) {
        let text = format!("`{name}` is not defined: it returns any value of its type {what}");
        self.ctx.assume(self.span, text);
    }

    /// The width of a result that may have any bits.
    fn plain_width(&self, ty: Ty) -> Option<Width> {
        let is_plain = !matches!(self.ctx.module.types.unatomic(ty), Type::Bool) && !self.ctx.is_record(ty);
        self.ctx.width(ty).filter(|_| is_plain)
    }

    /// Its result, under a name by which a counterexample can be explained.
    fn undefined_value(&mut self, name: &str, expr: &'m hir::Expr, wanted: bool) -> Expr {
        if self.ctx.is_record(expr.ty) {
            return self.any_record(expr.ty);
        }
        match self.plain_width(expr.ty).filter(|_| wanted) {
            Some(width) => {
                let var = self.named_temporary(&format!("{name}{}", program::UNDEFINED_RESULT), width);
                self.push(Op::Havoc { var });
                Expr::Reg(var, width)
            }
            None => self.arbitrary(expr.ty, wanted),
        }
    }

    /// The program reads a pointer here: what undefined functions write there is one.
    pub(super) fn note_pointer_read(&mut self, addr: &Expr) {
        if let Some(func) = self.ctx.funcs.get(&self.id) {
            self.ctx.type_facts.pointer_reads.push((*func, addr.clone()));
        }
    }

    /// The program reads a record with all its pointers.
    pub(super) fn note_record_read(&mut self, addr: &Expr, ty: Ty) {
        let mut offsets = Vec::new();
        pointers_in(&self.ctx.module.types, ty, 0, &mut offsets);
        for offset in offsets {
            let addr = self.offset(addr.clone(), offset);
            self.note_pointer_read(&addr);
        }
    }

    /// Returns true if an argument leads to something that can be written.
    fn gives_pointers(&self, args: &[hir::Expr]) -> bool {
        args.iter().any(|arg| self.gives_pointer(arg))
    }

    fn gives_pointer(&self, arg: &hir::Expr) -> bool {
        let types = &self.ctx.module.types;
        match &arg.kind {
            ExprKind::Convert(inner) => self.gives_pointer(inner),
            ExprKind::PtrAdd { ptr, .. } => self.gives_pointer(ptr),
            ExprKind::Int(_) => false,
            ExprKind::AddrOf(lvalue) => !matches!(lvalue.kind, ExprKind::Str(_)),
            _ if matches!(types.unatomic(arg.ty), Type::Pointer(_)) => true,
            _ => self.ctx.is_record(arg.ty) && leads_further(types, arg.ty),
        }
    }
}

/// The places of pointers in a value of a type, of long arrays only the first.
fn pointers_in(types: &TypeTable, ty: Ty, at: u64, offsets: &mut Vec<u64>) {
    match types.unatomic(ty) {
        Type::Pointer(_) => offsets.push(at),
        Type::Array(element, Some(count)) => {
            let size = types.size_of(*element).unwrap_or(0);
            (0..(*count).min(MAX_ELEMENTS))
                .for_each(|n| pointers_in(types, *element, at + n * size, offsets));
        }
        Type::Record(id) => {
            let fields = types.record(*id).layout.iter().flat_map(|layout| &layout.fields);
            fields.for_each(|field| pointers_in(types, field.ty, at + field.offset, offsets));
        }
        _ => {}
    }
}

/// Returns true if a value of a type may hold pointers.
fn leads_further(types: &TypeTable, ty: Ty) -> bool {
    match types.unatomic(ty) {
        Type::Pointer(_) | Type::Opaque { .. } | Type::Function { .. } => true,
        Type::Array(element, _) | Type::Vla(element, _) => leads_further(types, *element),
        Type::Record(id) => match &types.record(*id).layout {
            Some(layout) => layout.fields.iter().any(|field| leads_further(types, field.ty)),
            None => true,
        },
        Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Atomic(_) | Type::Qualified(..) => {
            false
        }
    }
}
