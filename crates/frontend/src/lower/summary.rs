//! Calls of functions that the table of the library describes.
//!
//! The arguments are evaluated once, left to right. Then come, in this order: the hidden state, if POSIX does not promise that
//! the function is thread-safe; what is read; what is written, with any values; the result; `errno`. A summary says more than happens in
//! one call (a call that fails writes nothing), which is sound: written values are arbitrary, so they may be the old ones.
//!
//! What a row does not say, or says in words ("unmodelled"), is [`program::Action::Unsupported`] where it would happen. Reads are emitted
//! only where it matters who accesses what ([`super::Checks::foreign_accesses`]), or whether there is anything to read
//! ([`super::Checks::validity`]).

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind};
use crate::library::row::{Effect, Extent, Factor, Row, Value};
use crate::types::{Ty, Type};
use base::convert::low64;
use program::{Action, BinOp, Expr, Op, Order, Width};

/// A call whose arguments were evaluated.
pub(super) struct Call<'m> {
    /// The name of the callee.
    pub(super) name: &'m str,
    /// The arguments' values, those of records being 0.
    pub(super) values: Vec<Expr>,
    /// The arguments.
    pub(super) args: &'m [hir::Expr],
    /// The types of parameters, as far as they are declared.
    params: Vec<Ty>,
}

/// A call that fails because of its descriptor: where it ends, and in which register its result is.
struct Refused {
    result: program::VarId,
    done: program::LocId,
    width: Width,
}

/// How the table declares a descriptor that is the first parameter.
const DESCRIPTORS: [&str; 6] = ["int fd", "int fildes", "int epfd", "int sockfd", "int infd", "int out_fd"];
/// The error number of what is no descriptor.
const EBADF: u128 = 9;

impl<'m> Builder<'_, 'm> {
    /// Lowers a call by its row of the table; `None` if there is none that fits, or the row is doubtful.
    pub(super) fn summary_call(
        &mut self,
        function: &'m hir::Function,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Option<Expr> {
        let library = self.ctx.library.clone();
        let row = library.look_up(&function.name)?;
        if row.flags.doubtful || !self.fits(&row, args) {
            return None;
        }
        let value = |builder: &mut Self, arg: &'m hir::Expr| {
            let value = builder.summary_argument(arg);
            let decided = if builder.declared.library {
                value.clone()
            } else {
                builder.decided_argument(value.clone(), arg.ty)
            };
            if decided == value { value } else { builder.in_temporary(decided) }
        };
        let values = args.iter().map(|arg| value(self, arg)).collect();
        self.span = expr.span;
        let params = match self.ctx.module.types.get(function.ty) {
            Type::Function { params, .. } => params.clone(),
            _ => Vec::new(),
        };
        let call = Call { name: &function.name, values, args, params };
        if row.flags.synchronises {
            let what = format!("call of `{}`, which synchronises threads", call.name);
            return Some(self.opaque(what, &call.values));
        }
        let refused = self.refuses_descriptor(&call, &row, expr.ty);
        self.hidden_state(&row);
        self.remarks(call.name, &row);
        self.remark_on_model(call.name);
        self.inexact_name = row.flags.inexact.then(|| format!("{}{}", call.name, program::INEXACT_RESULT));
        let (reads, writes): (Vec<_>, Vec<_>) = row.effects.iter().partition(|effect| only_reads(effect));
        for effect in reads.into_iter().chain(writes) {
            self.effect(&call, effect);
        }
        let result = self.summary_result(
            &call,
            &row.returns,
            expr.ty,
            wanted || (row.flags.errno && self.ctx.checks.errno && self.ctx.errno_location.is_some()),
        );
        if row.flags.errno {
            self.set_errno(&row, &result, expr.ty);
        }
        let result = match self.inexact_name.take() {
            Some(name) if result.as_const().is_none() => self.named_result(&name, result),
            _ => result,
        };
        Some(match refused {
            Some(refused) => self.join_refused(refused, result),
            None => result,
        })
    }

    /// A negative number is no descriptor: the call fails with `EBADF`, and does nothing else. Functions that take a directory and a path do
    /// not count: they have special negative numbers.
    fn refuses_descriptor(&mut self, call: &Call<'m>, row: &Row<'_>, ty: Ty) -> Option<Refused> {
        let parameters = row.prototype.split_once('(')?.1;
        let (first, rest) = parameters.split_once([',', ')'])?;
        let is_descriptor = DESCRIPTORS.contains(&first) && !rest.trim_start().starts_with("const char *");
        let fails = row.returns.iter().any(|value| failure_value(value) == Some(-1));
        let file = call.values.first()?.clone();
        let is_valid = file.as_const().is_some_and(|n| n >> 31 & 1 == 0);
        if !is_descriptor || !fails || !row.flags.errno || is_valid {
            return None;
        }
        let width = self.ctx.width(ty)?;
        let refused = Refused { result: self.temporary(width), done: self.new_location(), width };
        let (negative, valid) = (self.new_location(), self.new_location());
        let file = scalar::resize(file, true, Width::INT);
        self.branch(Expr::binary(BinOp::SLt, file, self.int(0)), negative, valid);
        self.open(negative);
        if let Some(location) = self.ctx.errno_location {
            let at = self.temporary(self.ctx.model.pointer());
            self.call_direct(location, Vec::new(), Some(at));
            let addr = Expr::Reg(at, self.ctx.model.pointer());
            self.push(Op::Store { addr, value: self.int(EBADF), order: Order::Plain });
        }
        self.push(Op::Set { var: refused.result, value: Expr::constant(u128::MAX, width) });
        self.goto(refused.done);
        self.open(valid);
        Some(refused)
    }

    fn join_refused(&mut self, refused: Refused, result: Expr) -> Expr {
        let value = scalar::resize(result, true, refused.width);
        self.push(Op::Set { var: refused.result, value });
        self.goto(refused.done);
        self.open(refused.done);
        Expr::Reg(refused.result, refused.width)
    }

    /// A computed result, under a name by which a counterexample that rests on it is recognised.
    fn named_result(&mut self, name: &str, value: Expr) -> Expr {
        let width = value.width();
        let var = self.register(name, width);
        self.push(Op::Set { var, value });
        Expr::Reg(var, width)
    }

    /// Returns true if a row can be about the function that is called: the program may have declared another one of that name.
    fn fits(&self, row: &Row<'_>, args: &[hir::Expr]) -> bool {
        row.effects.iter().all(|effect| match argument_of(effect) {
            None => true,
            Some(n) => match (args.get(n - 1), effect) {
                (None, Effect::Unmodelled { .. }) => true,
                (None, _) => false,
                (Some(_), Effect::Unmodelled { .. } | Effect::ExitIf(_)) => true,
                (Some(arg), _) => self.may_be_pointer(arg),
            },
        })
    }

    fn may_be_pointer(&self, arg: &hir::Expr) -> bool {
        let is_null = matches!(arg.kind, ExprKind::Int(0));
        is_null || self.ctx.is_record(arg.ty) || self.is_pointer(arg.ty)
    }

    fn is_pointer(&self, ty: Ty) -> bool {
        matches!(self.ctx.module.types.unatomic(ty), Type::Pointer(_))
    }

    pub(super) fn summary_argument(&mut self, arg: &'m hir::Expr) -> Expr {
        if self.ctx.is_record(arg.ty) || self.ctx.width(arg.ty).is_none() {
            self.effects(arg);
            return self.word(0);
        }
        if self.class(arg.ty) == Class::Float {
            let value = self.rvalue(arg);
            return self.repeatable(value);
        }
        self.word_argument(arg)
    }

    /// POSIX allows some functions to keep state without protecting it: a call writes that state (SOUNDNESS: A22).
    pub(super) fn hidden_state(&mut self, row: &Row<'_>) {
        let Some(name) = row.flags.hidden_state.filter(|_| self.ctx.checks.foreign_accesses) else { return };
        let object = self.ctx.hidden_object(name, 1, false);
        let addr = Expr::ObjectAddr(object, self.ctx.model.pointer());
        self.push(Op::Store { addr, value: Expr::constant(0, Width::BYTE), order: Order::Plain });
    }

    /// What is taken for granted about a call.
    pub(super) fn remarks(&mut self, name: &str, row: &Row<'_>) {
        let locks = self.refers_to(&["flockfile", "ftrylockfile"]).as_const() != Some(0);
        if row.flags.caller_locks && locks && self.ctx.checks.foreign_accesses {
            self.ctx.assume(self.span, format!("`{name}` is called with its stream locked"));
        }
        if row.flags.blocks && self.ctx.checks.waiting {
            self.ctx.assume(self.span, format!("`{name}` returns at some time"));
        }
    }

    fn effect(&mut self, call: &Call<'m>, effect: &Effect<'_>) {
        match effect {
            Effect::Access { arg, reads, writes, extent, nullable } => {
                let is_literal = || call.args.get(*arg - 1).is_some_and(|a| self.literal_bytes(a).is_some());
                let checks = self.ctx.checks;
                if !*writes
                    && (!(checks.foreign_accesses || checks.validity)
                        || matches!(extent, Extent::Text { .. }) && is_literal())
                {
                    return;
                }
                self.unless_null(call, *arg, *nullable, |builder| {
                    builder.access(call, *arg, *reads, *writes, extent);
                });
            }
            Effect::Set { arg, values, nullable } => self.unless_null(call, *arg, *nullable, |builder| {
                let Some(pointee) = builder.pointee(call, *arg) else {
                    return builder.unmodelled(call, "with an untyped pointer");
                };
                let value = builder.summary_result(call, values, pointee, true);
                let addr = call.values[*arg - 1].clone();
                builder.push(Op::Store { addr, value, order: Order::Plain });
            }),
            Effect::Free(arg) => self.push(Op::Free(call.values[*arg - 1].clone())),
            Effect::Keep(arg) => {
                let text =
                    format!("`{}` keeps its argument {arg}, and only reads through it later", call.name);
                self.ctx.assume(self.span, text);
            }
            Effect::Call { arg, nullable } => {
                let what = format!("call of `{}`, which calls its argument {arg} back", call.name);
                self.unless_null(call, *arg, *nullable, |builder| _ = builder.opaque(what, &call.values));
            }
            Effect::Format { arg, scans, wide } => self.formatted(call, *arg, *scans, *wide),
            Effect::Sync(_) => _ = self.opaque(format!("call of `{}`", call.name), &call.values),
            Effect::ExitIf(arg) => self.exit_if(call.values[*arg - 1].clone()),
            Effect::Unmodelled { arg: None, why, .. } => {
                self.unmodelled(call, &format!("({why})"));
            }
            Effect::Unmodelled { arg: Some(arg), nullable, why } => {
                // Through a number, or an optional argument that is not there, nothing can be reached.
                if call.args.get(arg - 1).is_some_and(|arg| self.may_be_pointer(arg)) {
                    let why = format!("({why})");
                    self.unless_null(call, *arg, *nullable, |builder| builder.unmodelled(call, &why));
                }
            }
        }
    }

    fn exit_if(&mut self, status: Expr) {
        let (exits, goes_on) = (self.new_location(), self.new_location());
        self.branch(scalar::truth(status, Class::Unsigned), exits, goes_on);
        self.open(exits);
        self.end(Action::Exit);
        self.open(goes_on);
    }

    /// Does something, unless a null pointer was passed where that is allowed.
    fn unless_null(&mut self, call: &Call<'_>, arg: usize, nullable: bool, body: impl FnOnce(&mut Self)) {
        let value = call.values[arg - 1].clone();
        let is_address =
            |e: &Expr| matches!(e, Expr::LocalAddr(..) | Expr::ObjectAddr(..) | Expr::FuncAddr(..));
        let known = match &value {
            Expr::Binary(BinOp::Add, base, _) => is_address(base),
            other => is_address(other),
        };
        if !nullable || known {
            return body(self);
        }
        let (given, done) = (self.new_location(), self.new_location());
        self.branch(scalar::truth(value, Class::Unsigned), given, done);
        self.open(given);
        body(self);
        self.goto(done);
        self.open(done);
    }

    fn access(&mut self, call: &Call<'m>, arg: usize, reads: bool, writes: bool, extent: &Extent) {
        let addr = call.values[arg - 1].clone();
        match extent {
            Extent::Bytes(factors) => {
                let Some(len) = self.size(call, arg, factors) else {
                    return self.unmodelled(call, "with an untyped pointer");
                };
                if reads {
                    self.read_bytes(addr.clone(), len.clone());
                }
                if writes {
                    self.havoc_bytes(addr, len);
                }
            }
            Extent::Text { wide, limit } => {
                let width = if *wide { Width::INT } else { Width::BYTE };
                let limit =
                    limit.map(|factor| self.factor(call, arg, factor).unwrap_or_else(|| self.word(0)));
                if writes {
                    let len = self.text_length(addr.clone(), width, limit);
                    let bytes = Expr::binary(BinOp::Mul, len, self.word(width.bytes()));
                    self.havoc_bytes(addr, bytes);
                } else {
                    self.read_given_text(call, arg - 1, width, limit);
                }
            }
            Extent::Deep if !self.ctx.checks.foreign_accesses => {
                let text = format!("`{}` finds valid memory through its argument {arg}", call.name);
                self.ctx.assume(self.span, text);
            }
            Extent::Deep => {
                let what = format!("call of `{}`, which reads what its argument {arg} leads to", call.name);
                self.opaque(what, &call.values);
            }
        }
    }

    /// What the table does not say of a call.
    pub(super) fn unmodelled(&mut self, call: &Call<'_>, why: &str) {
        self.opaque(format!("call of `{}` {why}", call.name), &call.values);
    }

    /// A product of factors, in bytes.
    pub(super) fn size(&mut self, call: &Call<'m>, arg: usize, factors: &[Factor]) -> Option<Expr> {
        let mut product = self.word(1);
        for &factor in factors {
            let value = self.factor(call, arg, factor)?;
            product = match (product.as_const(), value.as_const()) {
                (Some(1), _) => value,
                (Some(l), Some(r)) => self.word(low64(l).wrapping_mul(low64(r))),
                _ => Expr::binary(BinOp::Mul, product, value),
            };
        }
        Some(product)
    }

    fn factor(&mut self, call: &Call<'m>, arg: usize, factor: Factor) -> Option<Expr> {
        Some(match factor {
            Factor::Number(n) => self.word(n),
            Factor::Arg(n) => call.values.get(n - 1)?.clone(),
            Factor::Pointee(n) => {
                let pointee = self.pointee(call, n)?;
                let (width, signed) = (self.ctx.width(pointee)?, self.class(pointee) == Class::Signed);
                let value = self.load_memory(call.values.get(n - 1)?.clone(), width, Order::Plain);
                scalar::resize(value, signed, self.ctx.model.pointer())
            }
            Factor::Object => {
                let pointee = self.pointee(call, arg)?;
                let size = self.ctx.module.types.size_of(pointee)?;
                self.word(size)
            }
        })
    }

    /// What an argument points to: by the declaration if that tells, else by the argument.
    pub(super) fn pointee(&self, call: &Call<'m>, arg: usize) -> Option<Ty> {
        let types = &self.ctx.module.types;
        let declared = call.params.get(arg - 1).copied();
        let given = call.args.get(arg - 1).map(|e| undecayed(e).ty);
        declared.into_iter().chain(given).find_map(|ty| match types.unatomic(ty) {
            Type::Pointer(pointee) if types.size_of(*pointee).is_some_and(|size| size > 0) => Some(*pointee),
            _ => None,
        })
    }

    /// A call that fails sets `errno`; one that succeeds may.
    fn set_errno(&mut self, row: &Row<'_>, result: &Expr, ty: Ty) {
        let Some(location) = self.ctx.errno_location.filter(|_| self.ctx.checks.errno) else { return };
        let word = self.ctx.model.pointer();
        let at = self.temporary(word);
        self.call_direct(location, Vec::new(), Some(at));
        let (number, changes) = (self.temporary(Width::INT), self.temporary(Width::BOOL));
        self.push(Op::Havoc { var: number });
        self.push(Op::Havoc { var: changes });
        let value = Expr::Reg(number, Width::INT);
        let positive = Expr::binary(BinOp::SLt, self.int(0), value.clone());
        let small = Expr::binary(BinOp::SLt, value.clone(), self.int(4096));
        self.push(Op::Assume(Expr::binary(BinOp::And, positive, small)));
        let mut set = Expr::Reg(changes, Width::BOOL);
        if self.ctx.width(ty) == Some(result.width()) && self.class(ty) != Class::Float {
            for failure in row.returns.iter().filter_map(failure_value) {
                let failure = Expr::constant(failure.cast_unsigned(), result.width());
                let failed = Expr::binary(BinOp::Eq, result.clone(), failure);
                set = Expr::binary(BinOp::Or, set, failed);
            }
        }
        let old = self.load_memory(Expr::Reg(at, word), Width::INT, Order::Plain);
        let value = self.bounded(Expr::ite(set, value, old));
        self.push(Op::Store { addr: Expr::Reg(at, word), value, order: Order::Plain });
    }
}

impl super::Lowering<'_> {
    /// Returns true if a function of the library uses what its argument (counted from 0) points to only while it runs.
    pub(super) fn forgets(&self, id: hir::FunctionId, arg_idx: usize) -> bool {
        let function = &self.module.functions[id];
        // A function of another type is another function: see `fits`.
        let Type::Function { params, prototype: true, .. } = self.module.types.get(function.ty) else {
            return false;
        };
        let is_pointer = |n: usize| {
            params.get(n - 1).is_some_and(|ty| matches!(self.module.types.unatomic(*ty), Type::Pointer(_)))
        };
        function.body.is_none()
            && self.library.look_up(&function.name).is_some_and(|row| {
                let is_used = row.effects.iter().any(|effect| match effect {
                    Effect::Access { arg, .. } => *arg == arg_idx + 1,
                    Effect::Format { arg, .. } => *arg <= arg_idx,
                    _ => false,
                });
                let other = |effect: &Effect<'_>| match effect {
                    Effect::Access { .. } | Effect::Format { .. } => false,
                    effect => argument_of(effect).is_none_or(|arg| arg == arg_idx + 1),
                };
                let is_given_on = |value: &Value<'_>| match value {
                    Value::Arg(arg) | Value::Inside(arg) => *arg == arg_idx + 1,
                    _ => false,
                };
                let sets = row.effects.iter().filter_map(|effect| match effect {
                    Effect::Set { values, .. } => Some(values),
                    _ => None,
                });
                let returned = row.returns.iter().chain(sets.flatten()).any(is_given_on);
                let fits = row.effects.iter().filter_map(argument_of).all(is_pointer);
                is_used && fits && !returned && !row.flags.doubtful && !row.effects.iter().any(other)
            })
    }
}

/// The argument as it was before it was converted.
fn undecayed(arg: &hir::Expr) -> &hir::Expr {
    match &arg.kind {
        ExprKind::Convert(inner) => undecayed(inner),
        _ => arg,
    }
}

fn only_reads(effect: &Effect<'_>) -> bool {
    matches!(effect, Effect::Access { writes: false, .. })
}

/// Results that mean failure.
fn failure_value(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Null => Some(0),
        Value::Range(Some(-1), Some(crate::library::row::Bound::Number(-1))) => Some(-1),
        _ => None,
    }
}

fn argument_of(effect: &Effect<'_>) -> Option<usize> {
    match effect {
        Effect::Access { arg, .. }
        | Effect::Set { arg, .. }
        | Effect::Free(arg)
        | Effect::Keep(arg)
        | Effect::Call { arg, .. }
        | Effect::Format { arg, .. }
        | Effect::ExitIf(arg)
        | Effect::Sync(arg) => Some(*arg),
        Effect::Unmodelled { arg, .. } => *arg,
    }
}
