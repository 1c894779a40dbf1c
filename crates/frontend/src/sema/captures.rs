//! Variables of functions around a nested one, GNU's extension.
//!
//! A nested function gets a local pointer for each such variable ([`Capture`]), through which it reads and writes it. Who mentions a nested function has
//! to hand these addresses over: the function that owns the variable has it, another nested function captures it, too. Since a nested function stands
//! before its uses, all that it captures is known there, except in itself, where nothing is missing, and in functions nested in it.
//!
//! Variables of variable size have no model here.

use super::Sema;
use crate::hir::{Capture, Expr, ExprKind, FunctionId, LocalId, VarRef};
use crate::types::Ty;
use base::Span;

impl Sema<'_> {
    /// A variable of a function around the one that is being typed.
    pub(super) fn captured(&mut self, name: &str, outer: LocalId, ty: Ty, span: Span) -> Expr {
        let depth = self.scopes[self.unit].names.depth_of(name).unwrap_or(0);
        let owner = self.around.iter_mut().rfind(|body| body.depth <= depth);
        let owner = owner.expect("a variable of an outer function should have an owner");
        if self.unevaluated == 0 {
            owner.locals[outer].address_taken = true;
        }
        let owner = owner.function;
        let local = self.capture(name, owner, outer, ty, span);
        let pointer = self.pointer_to(ty);
        let variable = Expr { ty: pointer, span, kind: ExprKind::Var(VarRef::Local(local)) };
        let address = Expr { ty: pointer, span, kind: ExprKind::Load(Box::new(variable)) };
        Expr { ty, span, kind: ExprKind::Deref(Box::new(address)) }
    }

    /// The local that has the address of a variable of an outer function.
    fn capture(&mut self, name: &str, owner: FunctionId, outer: LocalId, ty: Ty, span: Span) -> LocalId {
        let known = self.body.iter().flat_map(|body| &body.captures);
        if let Some(known) = known.into_iter().find(|known| known.owner == owner && known.outer == outer) {
            return known.local;
        }
        let pointer = self.pointer_to(ty);
        let local = self.new_local(name, pointer, span);
        if let Some(body) = self.body.as_mut().filter(|_| self.unevaluated == 0) {
            body.captures.push(Capture { owner, outer, local });
        }
        local
    }

    /// Who mentions a nested function captures what that does.
    pub(super) fn captures_of_callee(&mut self, name: &str, reference: Expr) -> Expr {
        let ExprKind::Function(callee) = reference.kind else { return reference };
        if self.unevaluated > 0 {
            return reference;
        }
        if self.around.iter().skip(1).any(|body| body.function == callee) {
            let what = format!("'{name}' in a function that is nested in it");
            return self.unsupported(reference.ty, reference.span, what);
        }
        let captures = self.functions[callee].body.as_ref().map_or(Vec::new(), |body| body.captures.clone());
        let this = self.body.as_ref().map(|body| body.function);
        for Capture { owner, outer, .. } in captures.into_iter().filter(|capture| Some(capture.owner) != this)
        {
            let body = self.around.iter().find(|body| body.function == owner);
            let body = body.expect("the owner of a captured variable should be around its users");
            let (name, ty) = (body.locals[outer].name.clone(), body.locals[outer].ty);
            self.capture(&name, owner, outer, ty, reference.span);
        }
        reference
    }
}
