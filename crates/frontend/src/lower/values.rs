//! What functions of the library return: one of the alternatives of a row.

use super::function::Builder;
use super::scalar::{self, Class};
use super::summary::Call;
use crate::library::row::{Bound, Owner, Value};
use crate::types::{Ty, Type};
use program::{Action, BinOp, Expr, Op, Order, Storage, Width};

/// The size of a string whose length the table does not tell, with its terminating zero.
const TEXT_BYTES: u64 = 128;
/// The size of an object that the program cannot look into.
const OPAQUE_BYTES: u64 = 8;
/// Error numbers are positive and smaller than this.
const MAX_ERROR: i64 = 4095;

impl<'m> Builder<'_, 'm> {
    /// A value of type `ty` that is one of some.
    pub(super) fn summary_result(
        &mut self,
        call: &Call<'m>,
        values: &[Value<'_>],
        ty: Ty,
        wanted: bool,
    ) -> Expr {
        for value in values {
            self.overwrite_static(value, ty);
        }
        if values.contains(&Value::Never) {
            return self.never(call, values, ty, wanted);
        }
        if self.ctx.is_record(ty) {
            return self.any_record(ty);
        }
        let Some(width) = self.ctx.width(ty).filter(|_| wanted) else {
            return Expr::constant(0, self.ctx.width(ty).unwrap_or(Width::INT));
        };
        let is_number =
            |v: &Value<'_>| matches!(v, Value::Any | Value::Void | Value::Range(..) | Value::ErrorNumber);
        if self.class(ty) == Class::Float || values.iter().all(is_number) {
            return self.number(call, values, ty);
        }
        let chosen = self.temporary(width);
        let done = self.new_location();
        for (n, value) in values.iter().enumerate() {
            let next = self.new_location();
            if n + 1 < values.len() {
                let (taken, choice) = (self.new_location(), self.temporary(Width::BOOL));
                self.push(Op::Havoc { var: choice });
                self.branch(Expr::Reg(choice, Width::BOOL), taken, next);
                self.open(taken);
            }
            let value = self.alternative(call, value, ty);
            self.push(Op::Set { var: chosen, value: scalar::resize(value, false, width) });
            self.goto(done);
            self.open(next);
        }
        self.open(done);
        Expr::Reg(chosen, width)
    }

    /// It does not return, or only with one of the other values.
    fn never(&mut self, call: &Call<'m>, values: &[Value<'_>], ty: Ty, wanted: bool) -> Expr {
        let others: Vec<Value<'_>> = values.iter().filter(|v| **v != Value::Never).cloned().collect();
        let returns = self.new_location();
        if !others.is_empty() {
            let (ends, choice) = (self.new_location(), self.temporary(Width::BOOL));
            self.push(Op::Havoc { var: choice });
            self.branch(Expr::Reg(choice, Width::BOOL), ends, returns);
            self.open(ends);
        }
        self.at_exit(None);
        self.end(Action::Exit);
        self.open(returns);
        if others.is_empty() { self.int(0) } else { self.summary_result(call, &others, ty, wanted) }
    }

    /// A record of any contents.
    pub(super) fn any_record(&mut self, ty: Ty) -> Expr {
        let (size, align) = self.ctx.module.types.size_align(ty).unwrap_or((0, 1));
        let memory = self.temporary_memory(size, align);
        let addr = self.local_addr(memory);
        let len = self.word(size);
        self.havoc_bytes(addr.clone(), len);
        addr
    }

    /// A number in one of some ranges.
    fn number(&mut self, call: &Call<'m>, values: &[Value<'_>], ty: Ty) -> Expr {
        let value = self.arbitrary(ty, true);
        if self.class(ty) == Class::Float || values.iter().any(|v| matches!(v, Value::Any | Value::Void)) {
            return value;
        }
        let ranges = values.iter().map(|range| self.in_range(call, &value, range, self.class(ty)));
        let ranges: Vec<Expr> = ranges.collect();
        if let Some(cond) = ranges.into_iter().reduce(|l, r| Expr::binary(BinOp::Or, l, r)) {
            self.push(Op::Assume(cond));
        }
        value
    }

    fn in_range(&self, call: &Call<'m>, value: &Expr, range: &Value<'_>, class: Class) -> Expr {
        let width = value.width();
        let (low, high) = match range {
            Value::Range(low, high) => (*low, *high),
            Value::ErrorNumber => (Some(1), Some(Bound::Number(MAX_ERROR))),
            _ => (None, None),
        };
        let constant = |n: i64| Expr::constant(i128::from(n).cast_unsigned(), width);
        if let (Some(low), Some(Bound::Number(high))) = (low, high)
            && low == high
        {
            return Expr::binary(BinOp::Eq, value.clone(), constant(low));
        }
        let le = if class == Class::Signed { BinOp::SLe } else { BinOp::ULe };
        let is_bound = |n: &i64| class == Class::Signed || *n > 0;
        let low = low.filter(is_bound).map(|low| Expr::binary(le, constant(low), value.clone()));
        let high = high.and_then(|high| match high {
            Bound::Number(high) => Some(Expr::binary(le, value.clone(), constant(high))),
            Bound::Arg(arg, minus) => {
                // The lower bound is not negative: as unsigned numbers of pointer width both are what they are.
                let word = self.ctx.model.pointer();
                let value = scalar::resize(value.clone(), false, word.max(width));
                let limit = scalar::resize(call.values.get(arg - 1)?.clone(), false, value.width());
                Some(match minus {
                    0 => Expr::binary(BinOp::ULe, value, limit),
                    _ => Expr::binary(BinOp::ULt, value, limit),
                })
            }
        });
        let both = low.into_iter().chain(high).reduce(|l, r| Expr::binary(BinOp::And, l, r));
        both.unwrap_or_else(|| Expr::constant(1, Width::BOOL))
    }

    fn alternative(&mut self, call: &Call<'m>, value: &Value<'_>, ty: Ty) -> Expr {
        let word = self.ctx.model.pointer();
        match value {
            Value::Null | Value::Never => self.word(0),
            Value::Any | Value::Void | Value::Range(..) | Value::ErrorNumber => {
                self.number(call, std::slice::from_ref(value), ty)
            }
            Value::Arg(arg) => self.argument_value(call, *arg),
            Value::Inside(arg) => {
                let base = self.argument_value(call, *arg);
                let len = self.text_length(base.clone(), Width::BYTE, None);
                let offset = self.temporary(word);
                self.push(Op::Havoc { var: offset });
                let offset = Expr::Reg(offset, word);
                self.push(Op::Assume(Expr::binary(BinOp::ULe, offset.clone(), len)));
                Expr::binary(BinOp::Add, base, offset)
            }
            Value::Fresh(factors) => {
                let size = self.size(call, 1, factors).unwrap_or_else(|| self.word(1));
                self.fresh(size, Storage::Heap)
            }
            Value::Opaque(owner) => {
                let addr = self.fresh(self.word(OPAQUE_BYTES), storage_of(*owner));
                if self.follows_streams() {
                    let value = Expr::constant(0, Width::BYTE);
                    self.push(Op::Store { addr: addr.clone(), value, order: Order::Plain });
                }
                addr
            }
            Value::Text(owner) => {
                let text =
                    format!("the string that `{}` returns has less than {TEXT_BYTES} bytes", call.name);
                self.ctx.assume(self.span, text);
                let addr = self.fresh(self.word(TEXT_BYTES), storage_of(*owner));
                self.terminate(addr.clone());
                addr
            }
            Value::Static { name, per_thread, text } => {
                if *text {
                    let text =
                        format!("the string that `{}` returns has less than {TEXT_BYTES} bytes", call.name);
                    self.ctx.assume(self.span, text);
                }
                let size = self.static_size(*text, ty);
                Expr::ObjectAddr(self.ctx.hidden_object(name, size, *per_thread), word)
            }
        }
    }

    fn argument_value(&self, call: &Call<'m>, arg: usize) -> Expr {
        call.values.get(arg - 1).cloned().unwrap_or_else(|| self.word(0))
    }

    fn fresh(&mut self, size: Expr, storage: Storage) -> Expr {
        self.ctx.arbitrary_memory = true;
        let word = self.ctx.model.pointer();
        let var = self.temporary(word);
        self.transact(vec![Op::Alloc { var, size, align: 1, storage }], None);
        Expr::Reg(var, word)
    }

    /// The last byte of a string's object is zero.
    fn terminate(&mut self, addr: Expr) {
        let addr = self.offset(addr, TEXT_BYTES - 1);
        self.push(Op::Store { addr, value: Expr::constant(0, Width::BYTE), order: Order::Plain });
    }

    fn static_size(&self, text: bool, ty: Ty) -> u64 {
        let types = &self.ctx.module.types;
        match types.unatomic(ty) {
            _ if text => TEXT_BYTES,
            Type::Pointer(pointee) => types.size_of(*pointee).unwrap_or(OPAQUE_BYTES).max(1),
            _ => OPAQUE_BYTES,
        }
    }

    /// A hidden object gets new contents with every call, also if the result is not used.
    fn overwrite_static(&mut self, value: &Value<'_>, ty: Ty) {
        let Value::Static { name, per_thread, text } = value else { return };
        let size = self.static_size(*text, ty);
        let object = self.ctx.hidden_object(name, size, *per_thread);
        let addr = Expr::ObjectAddr(object, self.ctx.model.pointer());
        let len = self.word(size);
        self.havoc_bytes(addr.clone(), len);
        if *text {
            self.terminate(addr);
        }
    }
}

fn storage_of(owner: Owner) -> Storage {
    match owner {
        Owner::Library => Storage::Library,
        Owner::Caller => Storage::Heap,
    }
}
