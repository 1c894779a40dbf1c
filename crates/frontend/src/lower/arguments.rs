//! The arguments of `main`, and the environment.
//!
//! C (5.1.2.2.1) and POSIX promise: `argc` is not negative; `argv[0]` to `argv[argc - 1]` are strings, with any content; `argv[argc]` is null. They do
//! not promise that `argc` is positive: `exec` may be called with an empty list. The environment, which `main` gets as a third argument and which
//! `environ` points to, is such an array, too (SOUNDNESS: A15).
//!
//! What is not used costs nothing: the body is lowered first, and only the arguments that it reads are made. If the strings are, their number and
//! lengths are those that Linux allows.

use super::function::Builder;
use super::scalar;
use crate::hir::FunctionId;
use crate::types::Type;
use program::{BinOp, Expr, ObjectId, Op, Order, Storage, VarId, Width};

/// Bits of the number of strings: Linux has room for 6 MiB of them, and each takes a pointer and a byte.
const COUNT_BITS: u8 = 20;
/// Bits of a string's length: Linux allows 128 KiB.
const LENGTH_BITS: u8 = 17;

impl Builder<'_, '_> {
    /// Returns true if this function is the program's `main`.
    pub(super) fn is_main(&self) -> bool {
        self.id == self.ctx.module.entry && self.declared.name == "main"
    }

    /// Returns true if `id` is a `main` with parameters: another call of it than the program's start would need other arguments than those.
    pub(super) fn is_main_with_arguments(&self, id: FunctionId) -> bool {
        let function = &self.ctx.module.functions[id];
        id == self.ctx.module.entry
            && function.name == "main"
            && function.body.as_ref().is_some_and(|body| !body.params.is_empty())
    }

    /// Gives the parameters of `main` their values, as far as the code lowered so far reads them.
    pub(super) fn receive_arguments(&mut self) {
        let count = self.used_parameter(0, false);
        let strings = self.used_parameter(1, true);
        let environment = self.used_parameter(2, true);
        let globals = self.environment_globals();
        let word = self.ctx.model.pointer();
        if strings.is_some() || environment.is_some() || !globals.is_empty() {
            let text = format!(
                "the program gets fewer than 2^{COUNT_BITS} arguments and environment strings, each shorter than 2^{LENGTH_BITS}, as on Linux"
            );
            self.ctx.assume(self.declared.span, text);
        }
        if count.is_some() || strings.is_some() {
            let bits = if strings.is_some() { COUNT_BITS } else { 31 };
            let number = self.any_number(bits, word);
            if let Some((var, width)) = count {
                self.push(Op::Set { var, value: scalar::resize(number.clone(), false, width) });
            }
            if let Some((var, _)) = strings {
                let array = self.array_of_strings(number);
                self.push(Op::Set { var, value: array });
            }
        }
        if environment.is_some() || !globals.is_empty() {
            let number = self.any_number(COUNT_BITS, word);
            let array = self.array_of_strings(number);
            if let Some((var, _)) = environment {
                self.push(Op::Set { var, value: array.clone() });
            }
            for object in globals {
                let addr = Expr::ObjectAddr(object, word);
                self.push(Op::Store { addr, value: array.clone(), order: Order::Plain });
            }
        }
        self.flush();
    }

    /// The register of the `n`-th parameter, if it is of the right type and read anywhere.
    fn used_parameter(&self, n: usize, pointer: bool) -> Option<(VarId, Width)> {
        let ty = self.body.locals[*self.body.params.get(n)?].ty;
        if matches!(self.ctx.module.types.get(ty), Type::Pointer(_)) != pointer {
            return None;
        }
        let (var, width) = (self.parameter(n)?, self.ctx.width(ty)?);
        let mut is_used = false;
        for action in self.actions() {
            action.each_expr(&mut |expr| {
                expr.walk(&mut |e| is_used |= matches!(e, Expr::Reg(v, _) if *v == var));
            });
        }
        is_used.then_some((var, width))
    }

    /// The objects `environ` that the program refers to and does not define.
    fn environment_globals(&self) -> Vec<ObjectId> {
        let module = self.ctx.module;
        let is_environment = |name: &str| matches!(name, "environ" | "__environ" | "_environ");
        module
            .globals
            .iter_enumerated()
            .filter(|(_, global)| !global.defined && is_environment(&global.name))
            .filter(|(_, global)| matches!(module.types.get(global.ty), Type::Pointer(_)))
            .map(|(id, _)| self.ctx.globals[&id])
            .collect()
    }

    /// Any number of so many bits.
    fn any_number(&mut self, bits: u8, width: Width) -> Expr {
        let var = self.temporary(Width(bits));
        self.push(Op::Havoc { var });
        let number = scalar::resize(Expr::Reg(var, Width(bits)), false, width);
        self.in_temporary(number)
    }

    /// `count` pointers to strings of any content, then a null pointer. They live as long as `main`'s frame.
    fn array_of_strings(&mut self, count: Expr) -> Expr {
        let word = self.ctx.model.pointer();
        let slots = Expr::binary(BinOp::Add, count.clone(), self.word(1));
        let array = self.fresh_memory(Expr::binary(BinOp::Mul, slots, self.word(word.bytes())));
        let slot = |builder: &Self, index: Expr| {
            let offset = Expr::binary(BinOp::Mul, index, builder.word(word.bytes()));
            Expr::binary(BinOp::Add, array.clone(), offset)
        };
        self.each_index(&count, false, |builder, index| {
            let length = builder.any_number(LENGTH_BITS, word);
            let size = Expr::binary(BinOp::Add, length.clone(), builder.word(1));
            let text = builder.fresh_memory(size);
            let end = Expr::binary(BinOp::Add, text.clone(), length);
            let zero = Expr::constant(0, Width::BYTE);
            builder.push(Op::Store { addr: end, value: zero, order: Order::Plain });
            let addr = slot(builder, index);
            builder.push(Op::Store { addr, value: text, order: Order::Plain });
        });
        let last = slot(self, count);
        let null = self.word(0);
        self.push(Op::Store { addr: last, value: null, order: Order::Plain });
        array
    }

    fn fresh_memory(&mut self, size: Expr) -> Expr {
        let word = self.ctx.model.pointer();
        self.ctx.arbitrary_memory = true;
        let size = self.in_temporary(size);
        let var = self.temporary(word);
        self.push(Op::Alloc { var, size, align: 1, storage: Storage::Frame });
        Expr::Reg(var, word)
    }
}
