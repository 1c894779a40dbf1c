//! Calls: conventions for records and variadic arguments.
//!
//! | C | program |
//! |---|---|
//! | a record argument | the address of a copy that the caller owns |
//! | a record result | a first argument: the address of memory of the caller |
//! | surplus arguments of a variadic function | a last argument: the address of a block with a slot for each |
//!
//! Slots are in [`variadic`](super::variadic).

use super::accesses::Accesses;
use super::function::Builder;
use super::scalar;
use crate::hir::{self, ExprKind, FunctionId};
use crate::types::{Ty, Type};
use program::{Action, Callee, Expr, FuncId, Op, Width};

/// What is taken for granted where priorities are set.
const PRIORITIES: &str = "priorities, protocols and ceilings have no effect";
/// What is taken for granted where a locale is chosen.
const LOCALE: &str = "the library behaves as in the C locale";

/// What models and rows of the table take for granted.
const REMARKS: &[(&str, &str)] = &[
    ("fork", "parent and child share nothing but what the library's models leave open"),
    ("munmap", "memory is not used any more once it is unmapped"),
    ("nice", PRIORITIES),
    ("pthread_attr_setschedparam", PRIORITIES),
    ("pthread_attr_setschedpolicy", PRIORITIES),
    ("pthread_mutexattr_setprioceiling", PRIORITIES),
    ("pthread_mutexattr_setprotocol", PRIORITIES),
    ("pthread_setschedparam", PRIORITIES),
    ("pthread_setschedprio", PRIORITIES),
    ("sched_setparam", PRIORITIES),
    ("sched_setscheduler", PRIORITIES),
    ("setpriority", PRIORITIES),
    ("setlocale", LOCALE),
    ("uselocale", LOCALE),
    ("pthread_sigqueue", "signals do not queue"),
    ("sigqueue", "signals do not queue"),
];

/// How the names of functions begin whose models say when they return.
const WAITS_ARE_MODELLED: &[&str] = &["cnd_", "mtx_", "pause", "pthread_", "sem_", "sig", "thrd_"];

impl<'m> Builder<'_, 'm> {
    /// A call; gives its value (for records, the address of it). `wanted` says whether the value is used.
    pub(super) fn call(
        &mut self,
        expr: &'m hir::Expr,
        callee: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Expr {
        if let ExprKind::Function(id) = callee_function(callee).kind {
            let function = &self.ctx.module.functions[id];
            self.ctx.calls.note(self.id, id, expr.span);
            if let Some(value) = self.jump_call(function, args) {
                return value;
            }
            if let Some(value) = self.library_call(function, expr, args, wanted) {
                return value;
            }
            // What a model calls on the way is no call of the program.
            let mut accesses = None;
            if function.library && !self.declared.library {
                let library = self.ctx.library.clone();
                if let Some(row) = library.look_up(&function.name) {
                    accesses = self.formatting_accesses(&function.name, &row, args);
                    self.hidden_state(&row);
                    self.remark_on_model(&function.name);
                    if !WAITS_ARE_MODELLED.iter().any(|start| function.name.starts_with(start)) {
                        self.remarks(&function.name, &row);
                    }
                }
            }
            return match &function.body {
                Some(_) => self.call_defined((id, callee), expr, args, wanted, accesses),
                None => self.call_unknown(function, expr, args, wanted),
            };
        }
        self.call_pointer(expr, callee, args, wanted)
    }

    /// What the model of a function takes for granted (SOUNDNESS: A17).
    pub(super) fn remark_on_model(&mut self, name: &str) {
        if let Some((_, text)) = REMARKS.iter().find(|(function, _)| *function == name) {
            self.ctx.assume(self.span, (*text).to_owned());
        }
    }

    fn call_defined(
        &mut self,
        (id, callee): (FunctionId, &hir::Expr),
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
        accesses: Option<Accesses>,
    ) -> Expr {
        if self.is_main_with_arguments(id) && !self.declared.library {
            return self.no_value("a call of `main`, which takes its arguments from the program's start");
        }
        let function = &self.ctx.module.functions[id];
        let fixed = function.body.as_ref().map_or(args.len(), |b| b.params.len());
        let (ret, variadic) = self.function_type(function.ty);
        let (mut values, result) = self.record_result(ret);
        let of_library = function.library && !self.declared.library;
        self.arguments(args, (fixed, variadic), of_library, &mut values);
        values.extend(self.capture_arguments(id));
        self.span = expr.span;
        self.check_converted_callee(callee, function);
        if function.library {
            self.flush();
            self.offer_interrupt();
        }
        let func = self.ctx.funcs[&id];
        if let Some(result) = result {
            self.call_direct(func, values, None);
            return result;
        }
        let width = self.ctx.width(ret);
        let kept = if wanted { width.map(|w| (self.temporary(w), w)) } else { None };
        let called = match accesses {
            Some(accesses) => {
                let widths = values.iter().map(Expr::width).collect();
                self.ctx.summarised(func, widths, width, accesses, function.span)
            }
            None => func,
        };
        let ret = kept.map(|(var, _)| var);
        self.step(|next| Action::Call { callee: Callee::Direct(called), args: values, ret, next });
        self.after_call(Some(func));
        self.result_as(kept, expr.ty, wanted)
    }

    fn call_pointer(
        &mut self,
        expr: &'m hir::Expr,
        callee: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Expr {
        let pointee = match self.ctx.module.types.unatomic(callee.ty) {
            Type::Pointer(pointee) => *pointee,
            _ => callee.ty,
        };
        let (ret, variadic) = self.function_type(pointee);
        let fixed = match self.ctx.module.types.get(pointee) {
            Type::Function { params, prototype: true, .. } => params.len(),
            _ => args.len(),
        };
        let target = match &callee.kind {
            ExprKind::Deref(pointer) => self.rvalue(pointer),
            _ => self.rvalue(callee),
        };
        let target = self.repeatable(target);
        let (mut values, result) = self.record_result(ret);
        self.arguments(args, (fixed, variadic), false, &mut values);
        self.span = expr.span;
        self.check_signature(&target, pointee);
        let kept = match (&result, wanted) {
            (None, true) => self.ctx.width(ret).map(|w| (self.temporary(w), w)),
            _ => None,
        };
        let ret = kept.map(|(var, _)| var);
        self.call_through(target, values, ret);
        result.unwrap_or_else(|| self.result_as(kept, expr.ty, wanted))
    }

    /// What a caller sees of a result that arrived in a register, in the type the call expression has.
    fn result_as(&mut self, kept: Option<(program::VarId, Width)>, ty: Ty, wanted: bool) -> Expr {
        let width = self.ctx.width(ty).unwrap_or(Width::INT);
        match kept {
            Some((var, from)) => scalar::resize(Expr::Reg(var, from), false, width),
            // A value that the callee does not return: indeterminate.
            None if wanted => Expr::Reg(self.temporary(width), width),
            None => Expr::constant(0, width),
        }
    }

    /// Calls a function of the program.
    pub(super) fn call_direct(&mut self, func: FuncId, args: Vec<Expr>, ret: Option<program::VarId>) {
        self.step(|next| Action::Call { callee: Callee::Direct(func), args, ret, next });
        self.after_call(Some(func));
    }

    /// Calls what a pointer points to.
    pub(super) fn call_through(&mut self, target: Expr, args: Vec<Expr>, ret: Option<program::VarId>) {
        self.step(|next| Action::Call { callee: Callee::Indirect(target), args, ret, next });
        self.after_call(None);
    }

    fn function_type(&self, ty: Ty) -> (Ty, bool) {
        match self.ctx.module.types.get(ty) {
            Type::Function { ret, variadic, .. } => (*ret, *variadic),
            _ => (ty, false),
        }
    }

    /// Memory for a record result, already passed as first argument.
    fn record_result(&mut self, ret: Ty) -> (Vec<Expr>, Option<Expr>) {
        if !self.ctx.is_record(ret) {
            return (Vec::new(), None);
        }
        let (size, align) = self.ctx.module.types.size_align(ret).unwrap_or((0, 1));
        let memory = self.temporary_memory(size, align);
        let addr = self.local_addr(memory);
        (vec![addr.clone()], Some(addr))
    }

    /// Evaluates arguments, left to right: so many, and surplus ones of a variadic function; of the library, they have to be set.
    fn arguments(
        &mut self,
        args: &'m [hir::Expr],
        (fixed, variadic): (usize, bool),
        of_library: bool,
        values: &mut Vec<Expr>,
    ) {
        self.note_order(args);
        self.check_unsequenced(args);
        let (named, surplus) = args.split_at(fixed.min(args.len()));
        for arg in named {
            let value = self.argument(arg);
            values.push(if of_library { self.decided_argument(value, arg.ty) } else { value });
        }
        if variadic {
            let block = self.surplus_block(surplus, of_library);
            values.push(block);
        } else {
            for arg in surplus {
                self.effects(arg);
            }
        }
    }

    /// The value of an argument; of a record, the address of a copy.
    pub(super) fn argument(&mut self, arg: &'m hir::Expr) -> Expr {
        if !self.ctx.is_record(arg.ty) {
            return self.rvalue(arg);
        }
        let source = self.record(arg);
        let (size, align) = self.ctx.module.types.size_align(arg.ty).unwrap_or((0, 1));
        let memory = self.temporary_memory(size, align);
        let addr = self.local_addr(memory);
        self.copy_into_private(addr.clone(), source, size, arg.ty);
        addr
    }

    /// Any value of a type.
    pub(super) fn arbitrary(&mut self, ty: Ty, wanted: bool) -> Expr {
        let Some(width) = self.ctx.width(ty) else { return Expr::constant(0, Width::INT) };
        if !wanted {
            return Expr::constant(0, width);
        }
        if matches!(self.ctx.module.types.unatomic(ty), Type::Bool) {
            let var = self.temporary(Width::BOOL);
            self.push(Op::Havoc { var });
            return scalar::resize(Expr::Reg(var, Width::BOOL), false, width);
        }
        let var = self.temporary(width);
        self.push(Op::Havoc { var });
        Expr::Reg(var, width)
    }
}

/// The callee below decay, so that `f(x)`, `(*f)(x)` and `(&f)(x)` are direct calls.
pub(super) fn callee_function(callee: &hir::Expr) -> &hir::Expr {
    match &callee.kind {
        ExprKind::AddrOf(inner) | ExprKind::Deref(inner) | ExprKind::Convert(inner) => callee_function(inner),
        _ => callee,
    }
}
