//! Functions without a definition whose address is used: `malloc`, `free` or `pthread_mutex_lock` as a value.
//!
//! Calls by name are lowered where they stand. For a call through a pointer there must be a function to point to: one that passes its arguments
//! on to a call by name. It is made as a typed tree, so that both calls are lowered by the same code.
//!
//! Not for functions with `...`, or without a prototype: what they get is not known here, and calling them through a pointer has no model.

use crate::hir::{Body, Expr, ExprKind, FunctionId, Local, Module, Stmt, VarRef};
use crate::types::Type;
use base::IdxVec;
use rustc_hash::FxHashMap;

/// For each function without a body, one that calls it with its own arguments.
pub(super) fn thunks(module: &Module) -> FxHashMap<FunctionId, Body> {
    module
        .functions
        .iter_enumerated()
        .filter(|(_, function)| function.body.is_none())
        .filter_map(|(id, _)| Some((id, thunk(module, id)?)))
        .collect()
}

pub(super) fn thunk(module: &Module, id: FunctionId) -> Option<Body> {
    let function = &module.functions[id];
    let (ty, span) = (function.ty, function.span);
    let Type::Function { ret, params: types, variadic: false, prototype: true } = module.types.get(ty) else {
        return None;
    };
    let mut locals = IdxVec::new();
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for (n, &ty) in types.iter().enumerate() {
        let local = locals.push(Local { name: format!("arg{n}"), ty, align: 0, address_taken: false, span });
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
        params.push(local);
        args.push(Expr { ty, span, kind: ExprKind::Load(Box::new(variable)) });
    }
    let callee = Box::new(Expr { ty, span, kind: ExprKind::Function(id) });
    let call = Expr { ty: *ret, span, kind: ExprKind::Call { callee, args } };
    let stmt = match module.types.get(*ret) {
        Type::Void => Stmt::Expr(call),
        _ => Stmt::Return(Some(call), span),
    };
    let (labels, address_labels) = (IdxVec::new(), Vec::new());
    Some(Body { locals, params, labels, address_labels, captures: Vec::new(), stmts: vec![stmt], end: span })
}
