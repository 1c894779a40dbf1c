//! Calls through pointers to functions of another type (C11 6.3.2.3p8), for `undefined-behaviour`.
//!
//! Before a call through a pointer, its target is compared with each function of the program whose address is used and whose type is not compatible with the pointer's: one branch for each, and none
//! where all such functions suit.
//!
//! # Direction of error
//! Misses: functions that the library calls (start routines of threads, what `qsort` compares with), as UBSan does; records of the same tag are taken to be the same type.

use super::Lowering;
use super::function::Builder;
use crate::harness::{Node, walk};
use crate::hir::{self, AddrBase, ConstValue, ExprKind, FunctionId};
use crate::types::{Ty, Type};
use program::{Action, BinOp, Expr, Undefined, UndefinedKind};
use rustc_hash::FxHashMap;

impl Builder<'_, '_> {
    /// Checks that what is called is no function of a type that is not compatible with `ty`, the one of the call.
    pub(super) fn check_signature(&mut self, target: &Expr, ty: Ty) {
        if !self.ctx.checks.undefined || self.declared.library {
            return;
        }
        let module = self.ctx.module;
        let unsuitable = |id: &FunctionId| !module.types.are_compatible(module.functions[*id].ty, ty);
        let others: Vec<FunctionId> = self.ctx.used_functions().iter().copied().filter(unsuitable).collect();
        for id in others {
            let Some(func) = self.ctx.funcs.get(&id) else { continue };
            let address = Expr::FuncAddr(*func, self.ctx.model.pointer());
            let differs = Expr::binary(BinOp::Ne, target.clone(), address);
            let name = &module.functions[id].name;
            let what = format!("call of `{name}` through a pointer to functions of another type");
            self.undefined_unless(differs, UndefinedKind::IncompatibleCall, &what);
        }
    }

    /// The same for a function that is called by its name, converted to a pointer to functions of another type.
    pub(super) fn check_converted_callee(&mut self, callee: &hir::Expr, function: &hir::Function) {
        let types = &self.ctx.module.types;
        let ty = match types.unatomic(callee.ty) {
            Type::Pointer(pointee) => *pointee,
            _ => callee.ty,
        };
        if !self.ctx.checks.undefined
            || self.declared.library
            || function.body.is_none()
            || function.library
            || types.are_compatible(function.ty, ty)
        {
            return;
        }
        let what = format!("call of `{}` as a function of another type", function.name);
        self.end(Action::Undefined(Undefined::new(UndefinedKind::IncompatibleCall, what)));
    }
}

impl Lowering<'_> {
    /// The defined functions of the program whose addresses are used otherwise than for calls.
    fn used_functions(&mut self) -> &[FunctionId] {
        let module = self.module;
        self.used_functions.get_or_insert_with(|| used_functions(module))
    }
}

fn used_functions(module: &hir::Module) -> Vec<FunctionId> {
    let mut uses: FxHashMap<FunctionId, i64> = FxHashMap::default();
    for body in module.functions.iter().filter_map(|f| f.body.as_ref()) {
        walk(body, &mut |node| {
            let Node::Expr(e) = node else { return };
            match &e.kind {
                ExprKind::Function(id) => *uses.entry(*id).or_default() += 1,
                ExprKind::Call { callee, .. } => {
                    if let ExprKind::Function(id) = super::call::callee_function(callee).kind {
                        *uses.entry(id).or_default() -= 1;
                    }
                }
                _ => {}
            }
        });
    }
    for init in module.globals.iter().flat_map(|global| &global.init) {
        if let ConstValue::Addr(AddrBase::Function(id), _) = init.value {
            *uses.entry(id).or_default() += 1;
        }
    }
    let is_followed = |id: &FunctionId| {
        let function = &module.functions[*id];
        uses.get(id).is_some_and(|uses| *uses > 0) && function.body.is_some() && !function.library
    };
    module.functions.ids().filter(is_followed).collect()
}
