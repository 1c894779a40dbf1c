//! Parameters: how arguments arrive.
//!
//! In registers, in order; see [`call`](super::call) for records and surplus arguments. A parameter whose address is taken is moved to memory first.

use super::function::{Builder, LocalPlace};
use crate::hir::LocalId;
use crate::types::{FloatKind, Type};
use program::{Cast, Expr, Op, Order, VarId, Width};

impl Builder<'_, '_> {
    /// The register in which the `n`-th parameter arrives.
    pub(super) fn parameter(&self, n: usize) -> Option<VarId> {
        let n = n + usize::from(self.result_pointer.is_some());
        self.params.get(n).copied()
    }

    /// Parameters arrive in registers; those whose address is taken move to memory.
    pub(super) fn receive_params(&mut self, variadic: bool) {
        for &param in &self.body.params {
            match self.locals[param] {
                LocalPlace::Register(var, width) if self.arrives_promoted(param) => {
                    let value = self.promoted_argument(param, width);
                    self.pending.push(Op::Set { var, value });
                }
                LocalPlace::Register(var, _) | LocalPlace::ByReference(var) => self.params.push(var),
                LocalPlace::Memory(var) => {
                    let decl = &self.body.locals[param];
                    let Some(width) = self.ctx.width(decl.ty) else {
                        // A type without a model, whose bits are never read with a meaning.
                        let word = self.ctx.model.pointer();
                        let unused = self.register("unmodelled", word);
                        self.params.push(unused);
                        continue;
                    };
                    let value = if self.arrives_promoted(param) {
                        self.promoted_argument(param, width)
                    } else {
                        let arrived = self.register(&format!("{}.arg", decl.name), width);
                        self.params.push(arrived);
                        Expr::Reg(arrived, width)
                    };
                    let addr = self.local_addr(var);
                    self.pending.push(Op::Store { addr, value, order: Order::Plain });
                }
                LocalPlace::Constant(_) | LocalPlace::Missing => {}
            }
        }
        if variadic {
            let word = self.ctx.model.pointer();
            let surplus = self.register("surplus", word);
            self.params.push(surplus);
            self.surplus = Some(surplus);
        }
        self.flush();
    }

    /// Returns true if a parameter is a `float` of an old-style definition: its argument arrives as a `double`.
    fn arrives_promoted(&self, param: LocalId) -> bool {
        let types = &self.ctx.module.types;
        let is_old_style = matches!(types.get(self.declared.ty), Type::Function { prototype: false, .. });
        let ty = types.unatomic(self.body.locals[param].ty);
        is_old_style && matches!(ty, Type::Float(FloatKind::Float))
    }

    fn promoted_argument(&mut self, param: LocalId, width: Width) -> Expr {
        let double = Width(64);
        let arrived = self.register(&format!("{}.arg", self.body.locals[param].name), double);
        self.params.push(arrived);
        Expr::cast(Cast::FToF, width, Expr::Reg(arrived, double))
    }
}
