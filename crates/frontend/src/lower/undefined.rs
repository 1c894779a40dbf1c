//! Calls of undefined functions: neither the program, a model nor a table defines them.
//!
//! What such a function does is the user's to say ([`Undefined`]); the verdict's assumptions repeat the choice. By default it returns
//! any value of its type and may write what its arguments lead to, and what earlier calls of such functions were given:
//!
//! * An argument `&x`, where the object `x` holds no pointers, leads to `x` only. All of `x` gets any values. So do all other objects that
//!   are handed over like this to an undefined function, anywhere for those in static storage, in the same function for locals.
//! * Any other pointer may lead anywhere. Then the execution splits: in one the function writes, which has no model; in another it writes what
//!   the pointer points to by its type; in the last it writes nothing. So a violation that needs no other write is found, and `true` is never said.
//! * Where it matters who accesses what, every pointer is of the second kind: an access that may be there is no race.
//!
//! Which objects are handed over is known when everything was lowered. Therefore lowering is done twice if there is such a call
//! ([`Handed`] is what the first time found).

use super::function::Builder;
use crate::hir::{self, ExprKind, FunctionId, GlobalId, LocalId, VarRef};
use crate::library::Undefined;
use crate::types::{Ty, Type, TypeTable};
use program::{Action, Expr, Op, Width};
use std::collections::{BTreeMap, BTreeSet};

/// Names that only the compiler can give a meaning: without a model, nothing is known about them.
const COMPILER_PREFIXES: [&str; 4] = ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"];

/// Nothing larger than this is written through a pointer that may lead anywhere.
const MAX_WRITTEN: u64 = 256;

/// What is handed over to undefined functions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Handed {
    globals: BTreeSet<GlobalId>,
    locals: BTreeMap<FunctionId, BTreeSet<LocalId>>,
    /// True if somewhere it is anything else.
    others: bool,
}

/// What an argument leads to.
enum Target {
    /// To nothing that can be written.
    Nothing,
    /// To this object and no further.
    Global(GlobalId),
    /// To this object and no further.
    Local(LocalId),
    /// To memory that is not known exactly.
    Anything,
}

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
        if self.ctx.checks.foreign_accesses && !function.noreturn {
            return self.call_unknown_accesses(name, expr, args, wanted);
        }
        let writable: Vec<(Expr, u64)> = args.iter().flat_map(|arg| self.written_through(arg)).collect();
        self.span = expr.span;
        if COMPILER_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            return self.no_value(&format!("call of `{name}`"));
        }
        if function.noreturn {
            self.ctx.assume(expr.span, format!("`{name}` is not defined: it ends the program"));
            self.end(Action::Exit);
            return Expr::constant(0, Width::INT);
        }
        match self.ctx.undefined {
            Undefined::Anything => return self.no_value(&format!("call of `{name}`, which is not defined")),
            Undefined::Pure => self.assume_of(name, "and changes nothing else"),
            Undefined::WritesArguments => {
                let targets: Vec<Target> = args.iter().map(|arg| self.target(arg)).collect();
                if targets.iter().all(|target| matches!(target, Target::Nothing)) {
                    self.assume_of(name, "and changes nothing else");
                } else {
                    self.assume_of(name, "and may write what undefined functions are given pointers to");
                    self.may_write(name, &targets);
                    writable.into_iter().for_each(|(addr, size)| self.may_write_at(addr, size));
                }
            }
        }
        self.undefined_value(name, expr, wanted)
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
        let gives_nothing = args.iter().all(|arg| matches!(self.target(arg), Target::Nothing));
        match self.ctx.undefined {
            Undefined::Anything => {
                return self.opaque(format!("call of `{name}`, which is not defined"), &values);
            }
            Undefined::Pure => self.assume_of(name, "and changes nothing else"),
            Undefined::WritesArguments if gives_nothing => self.assume_of(name, "and changes nothing else"),
            Undefined::WritesArguments => {
                self.assume_of(name, "and may write what undefined functions are given pointers to");
                let is_plain = !matches!(self.ctx.module.types.unatomic(expr.ty), Type::Bool);
                let width = self.ctx.width(expr.ty).filter(|_| is_plain && !self.ctx.is_record(expr.ty));
                let result = self.opaque_or_any(name, &values, width.unwrap_or(self.ctx.model.pointer()));
                if width.is_some() {
                    return result;
                }
            }
        }
        self.undefined_value(name, expr, wanted)
    }

    fn assume_of(&mut self, name: &str, what: &str) {
        let text = format!("`{name}` is not defined: it returns any value of its type {what}");
        self.ctx.assume(self.span, text);
    }

    /// Its result, under a name by which a counterexample can be explained.
    fn undefined_value(&mut self, name: &str, expr: &'m hir::Expr, wanted: bool) -> Expr {
        if self.ctx.is_record(expr.ty) {
            return self.any_record(expr.ty);
        }
        let is_plain = !matches!(self.ctx.module.types.unatomic(expr.ty), Type::Bool);
        match self.ctx.width(expr.ty).filter(|_| wanted && is_plain) {
            Some(width) => {
                let var = self.named_temporary(&format!("{name}{}", program::UNDEFINED_RESULT), width);
                self.push(Op::Havoc { var });
                Expr::Reg(var, width)
            }
            None => self.arbitrary(expr.ty, wanted),
        }
    }

    fn may_write(&mut self, name: &str, targets: &[Target]) {
        let mut inexact = false;
        for target in targets {
            match target {
                Target::Nothing => {}
                Target::Global(global) => _ = self.ctx.handed_now.globals.insert(*global),
                Target::Local(local) => {
                    _ = self.ctx.handed_now.locals.entry(self.id).or_default().insert(*local);
                }
                Target::Anything => (self.ctx.handed_now.others, inexact) = (true, true),
            }
        }
        let handed = &self.ctx.handed;
        let (id, globals) = (self.id, handed.globals.clone());
        let locals = handed.locals.get(&id).cloned().unwrap_or_default();
        inexact |= handed.others || handed.locals.keys().any(|other| *other != id);
        if inexact {
            self.split(format!("`{name}`, which is not defined and gets a pointer"));
        }
        for global in globals {
            let ty = self.ctx.module.globals[global].ty;
            let addr = Expr::ObjectAddr(self.ctx.globals[&global], self.ctx.model.pointer());
            self.havoc_object(addr, ty);
        }
        for local in locals {
            if let super::function::LocalPlace::Memory(var) = self.locals[local] {
                let addr = self.local_addr(var);
                self.havoc_object(addr, self.body.locals[local].ty);
            }
        }
    }

    /// Evaluates an argument. If it is a pointer of which it is not known exactly where it leads to: the addresses and sizes of what it
    /// points to by its type, without the parts that hold pointers.
    fn written_through(&mut self, arg: &'m hir::Expr) -> Vec<(Expr, u64)> {
        let types = &self.ctx.module.types;
        let parts = match types.unatomic(arg.ty) {
            Type::Pointer(pointee) => plain_parts(types, *pointee),
            _ => Vec::new(),
        };
        if parts.is_empty() || !matches!(self.target(arg), Target::Anything) {
            self.effects(arg);
            return Vec::new();
        }
        let base = self.word_argument(arg);
        parts.into_iter().map(|(offset, size)| (self.offset(base.clone(), offset), size)).collect()
    }

    /// One thing that a function with a pointer may do: to write what that points to by its type. It may do more, which has no model, so
    /// that this only adds violations.
    fn may_write_at(&mut self, addr: Expr, size: u64) {
        let writes = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var: writes });
        let (write, done) = (self.new_location(), self.new_location());
        // A member of no object is at an address that is as small as its offset.
        let is_object = Expr::binary(program::BinOp::ULt, self.word(MAX_WRITTEN), addr.clone());
        self.branch(super::sync::and(Expr::Reg(writes, Width::BOOL), is_object), write, done);
        self.open(write);
        let len = self.word(size);
        self.havoc_bytes(addr, len);
        self.goto(done);
        self.open(done);
    }

    fn havoc_object(&mut self, addr: Expr, ty: Ty) {
        let size = self.ctx.module.types.size_of(ty).unwrap_or(0);
        let len = self.word(size);
        self.havoc_bytes(addr, len);
    }

    /// Either something happens that has no model, or not.
    fn split(&mut self, what: String) {
        let happens = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var: happens });
        let (does, does_not) = (self.new_location(), self.new_location());
        self.branch(Expr::Reg(happens, Width::BOOL), does, does_not);
        self.open(does);
        self.unsupported(what);
        self.open(does_not);
    }

    /// What an argument lets the callee write.
    fn target(&self, arg: &hir::Expr) -> Target {
        let types = &self.ctx.module.types;
        match &arg.kind {
            ExprKind::Convert(inner) => self.target(inner),
            ExprKind::Int(_) => Target::Nothing,
            ExprKind::AddrOf(lvalue) => self.object(lvalue),
            ExprKind::PtrAdd { ptr, .. } => self.target(ptr),
            _ if matches!(types.unatomic(arg.ty), Type::Pointer(_)) => Target::Anything,
            _ if self.ctx.is_record(arg.ty) && leads_further(types, arg.ty) => Target::Anything,
            _ => Target::Nothing,
        }
    }

    /// The object that an lvalue is part of.
    fn object(&self, lvalue: &hir::Expr) -> Target {
        let types = &self.ctx.module.types;
        match &lvalue.kind {
            ExprKind::Str(_) => Target::Nothing,
            ExprKind::Member { base, .. } => self.object(base),
            ExprKind::Deref(pointer) => match &pointer.kind {
                ExprKind::AddrOf(_) | ExprKind::PtrAdd { .. } => self.target(pointer),
                _ => Target::Anything,
            },
            ExprKind::Var(VarRef::Global(global)) => {
                let ty = self.ctx.module.globals[*global].ty;
                if leads_further(types, ty) { Target::Anything } else { Target::Global(*global) }
            }
            ExprKind::Var(VarRef::Local(local)) => {
                let is_memory = matches!(self.locals[*local], super::function::LocalPlace::Memory(_));
                let exact = is_memory && !leads_further(types, self.body.locals[*local].ty);
                if exact { Target::Local(*local) } else { Target::Anything }
            }
            _ => Target::Anything,
        }
    }
}

/// The parts of an object that hold no pointers, in bytes from its start, if it is small: all of it, or members of a record.
fn plain_parts(types: &TypeTable, ty: Ty) -> Vec<(u64, u64)> {
    let Some(size) = types.size_of(ty).filter(|size| (1..=MAX_WRITTEN).contains(size)) else {
        return Vec::new();
    };
    if !leads_further(types, ty) {
        return vec![(0, size)];
    }
    let Type::Record(id) = types.unatomic(ty) else { return Vec::new() };
    let fields = types.record(*id).layout.iter().flat_map(|layout| &layout.fields);
    let plain = fields.filter(|field| field.bits.is_none() && !leads_further(types, field.ty));
    let sized = plain.filter_map(|field| Some((field.offset, types.size_of(field.ty)?)));
    sized.filter(|(_, size)| *size > 0).collect()
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
