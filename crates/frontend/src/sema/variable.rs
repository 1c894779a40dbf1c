//! Arrays of variable length.
//!
//! The type of such an array, [`Type::Vla`], names a local that holds its size in bytes. Where the type is written, an assignment to that local is
//! noted in [`Sema::sizes`](super::Sema); the reader of the type puts these assignments where C evaluates them: a declaration before
//! itself, a definition's parameters at the function's start, a cast or `sizeof` before its own value, any other type name nowhere. Later uses of
//! the type, by a `typedef` for example, read the local, so that the size is that of the declaration. The elements may be arrays of variable
//! length themselves: an index is then scaled by their size when it is computed, not by a constant.
//!
//! The array itself is memory that its declaration allocates; a local points to it, and the name stands for what that local points to.

use super::Sema;
use super::declared::Declared;
use super::scope::Symbol;
use crate::ast::{self, At, Declaration, InitDeclarator, TypeName, TypeSpec};
use crate::hir::{BinaryOp, Expr, ExprKind, LocalId, Stmt, VarRef};
use crate::types::{Qualifiers, Ty, Type};
use base::Span;

impl<'a> Sema<'a> {
    /// An array type with so many elements, a number that is not constant or whose elements have no constant size.
    pub(super) fn variable_array(&mut self, element: Ty, count: Expr, at: At) -> Ty {
        let (size_ty, span) = (self.basic.size, self.span(at));
        let element_size = self.sizeof(element, at);
        let bytes = self.arithmetic(BinaryOp::Mul, count, element_size, at);
        let size = self.new_local("", size_ty, span);
        if let Some(body) = &mut self.body {
            body.has_variable_sizes = true;
        }
        let variable = Expr { ty: size_ty, span, kind: ExprKind::Var(VarRef::Local(size)) };
        let kind = ExprKind::Assign(Box::new(variable), Box::new(bytes));
        self.sizes.push(Expr { ty: size_ty, span, kind });
        self.types.intern(Type::Vla(element, size))
    }

    /// Puts the sizes that a declaration needs before it.
    pub(super) fn evaluate_sizes(&mut self, out: &mut Vec<Stmt>) {
        out.extend(self.sizes.drain(..).map(Stmt::Expr));
    }

    /// The type of a type name, and the assignments to be made before it is used.
    pub(super) fn evaluated_type_name(&mut self, name: &'a TypeName<'a>) -> (Declared, Vec<Expr>) {
        let outer = std::mem::take(&mut self.sizes);
        let declared = self.type_name_with_sizes(name);
        let sizes = std::mem::replace(&mut self.sizes, outer);
        (declared, sizes)
    }

    /// The type of a definition's parameter inside its body, where the sizes of arrays are known; `ty` is its type without them.
    pub(super) fn parameter_in_body(
        &mut self,
        param: &'a Declaration<'a>,
        ty: Ty,
        out: &mut Vec<Stmt>,
    ) -> Ty {
        let mut innermost = ty;
        while let Some(inner) = self.pointee(innermost) {
            innermost = inner;
        }
        let Some(one) = param.declarators.first() else { return ty };
        if let Some(TypeSpec::Record { fields: Some(_), .. } | TypeSpec::Enum { items: Some(_), .. }) =
            param.specifiers.ty
        {
            return ty;
        }
        let is_array = matches!(one.declarator.derivations.first(), Some(ast::Derivation::Array(Some(_))));
        if !is_array && self.types.size_of(innermost).is_some() {
            return ty;
        }
        let base = self.specifiers(&param.specifiers, false, param.at);
        let declared = self.declarator(&base, &one.declarator).ty;
        if let Type::Vla(..) = self.types.get(declared) {
            // The size of the array that becomes a pointer is evaluated only for its effects.
            self.sizes.pop_if(|size| is_without_effect(size));
        }
        self.evaluate_sizes(out);
        self.adjusted(declared)
    }

    /// The type of a number or pointer that is a parameter, in its function's body: constant if it is declared so.
    pub(super) fn constant_parameter(&mut self, param: &Declaration<'a>, ty: Ty) -> Ty {
        let derivations = param.declarators.first().map(|one| &one.declarator.derivations);
        let is_const = match derivations.and_then(|derivations| derivations.first()) {
            None => param.specifiers.quals.is_const,
            Some(ast::Derivation::Pointer(quals)) => quals.is_const,
            Some(ast::Derivation::Array(_) | ast::Derivation::Function(_)) => false,
        };
        let is_scalar =
            matches!(self.types.get(ty), Type::Int(_) | Type::Bool | Type::Float(_) | Type::Pointer(_));
        if is_const && is_scalar {
            self.types.qualify(ty, Qualifiers { is_const, ..Qualifiers::default() })
        } else {
            ty
        }
    }

    /// Declares a local array of variable length; its size is evaluated.
    pub(super) fn variable_length(
        &mut self,
        one: &'a InitDeclarator<'a>,
        declared: &Declared,
        size: LocalId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let name = one.declarator.name.unwrap_or_default();
        if one.init.is_some() {
            self.error(one.declarator.at, "an array of variable length should have no initialiser");
        }
        let ty = declared.ty;
        let pointer = self.pointer_to(ty);
        let local = self.new_local(name, pointer, span);
        if let (Some(body), 0) = (&mut self.body, self.unevaluated) {
            body.locals[local].align = declared.object_align();
        }
        out.push(Stmt::DeclVla { local, size: self.size_local(size, span), span });
        self.scopes[self.unit].names.insert(name, Symbol::Vla { local, ty });
    }

    /// The array that a local points to.
    pub(super) fn variable_array_lvalue(&mut self, local: LocalId, ty: Ty, span: Span) -> Expr {
        let pointer = self.pointer_to(ty);
        let variable = Expr { ty: pointer, span, kind: ExprKind::Var(VarRef::Local(local)) };
        let address = Expr { ty: pointer, span, kind: ExprKind::Load(Box::new(variable)) };
        Expr { ty, span, kind: ExprKind::Deref(Box::new(address)) }
    }

    fn size_local(&self, size: LocalId, span: Span) -> Expr {
        let ty = self.basic.size;
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(size)) };
        Expr { ty, span, kind: ExprKind::Load(Box::new(variable)) }
    }

    /// The size of what a pointer points to, if that is an array of variable length.
    pub(super) fn variable_element_size(&self, pointer: Ty, span: Span) -> Option<Expr> {
        match *self.types.get(self.pointee(pointer)?) {
            Type::Vla(_, size) => Some(self.size_local(size, span)),
            _ => None,
        }
    }

    /// An index for a pointer of type `pointer`, and what one means in bytes; `None` if the size of an element is not known.
    pub(super) fn scaled_index(&mut self, pointer: Ty, index: Expr, at: At) -> Option<(Expr, u64)> {
        let index = self.convert(index, self.basic.ptrdiff);
        let Some(size) = self.variable_element_size(pointer, self.span(at)) else {
            return Some((index, self.element_size(pointer)?));
        };
        if let ExprKind::Int(0) = index.kind {
            return Some((index, 1));
        }
        let index = self.convert(index, self.basic.size);
        let bytes = self.arithmetic(BinaryOp::Mul, index, size, at);
        Some((self.convert(bytes, self.basic.ptrdiff), 1))
    }

    /// `sizeof expression`; an operand that is an array of variable length is evaluated.
    pub(super) fn sizeof_expr(&mut self, operand: &'a ast::Expr<'a>, at: At) -> Expr {
        let typed = self.unevaluated(|sema| sema.expr(operand));
        let size = self.sizeof(typed.ty, at);
        let is_variable = matches!(self.types.get(typed.ty), Type::Vla(..));
        if !is_variable || matches!(operand.kind, ast::ExprKind::Ident(_)) {
            return size;
        }
        let evaluated = self.value(operand);
        let evaluated = self.convert(evaluated, self.basic.void);
        after_sizes(vec![evaluated], size)
    }

    /// `sizeof(type)`
    pub(super) fn sizeof_type(&mut self, name: &'a TypeName<'a>, at: At) -> Expr {
        let (declared, sizes) = self.evaluated_type_name(name);
        let size = self.sizeof(declared.ty, at);
        match self.types.get(declared.ty) {
            Type::Vla(..) => after_sizes(sizes, size),
            _ => size,
        }
    }

    /// The size of an object of type `ty`.
    pub(super) fn sizeof(&mut self, ty: Ty, at: At) -> Expr {
        match (self.types.size_of(ty), self.types.get(ty)) {
            (Some(size), _) => self.int_constant(i128::from(size), self.basic.size, at),
            (None, Type::Vla(_, size)) => self.size_local(*size, self.span(at)),
            (None, Type::Array(..)) => {
                self.unsupported(self.basic.size, self.span(at), "the size of an incomplete array")
            }
            (None, _) => self.wrong(at, "the size of an incomplete type is asked for"),
        }
    }
}

/// A value after assignments.
pub(super) fn after_sizes(sizes: Vec<Expr>, value: Expr) -> Expr {
    sizes.into_iter().rev().fold(value, |value, size| {
        let (ty, span) = (value.ty, value.span);
        Expr { ty, span, kind: ExprKind::Comma(Box::new(size), Box::new(value)) }
    })
}

/// Returns true if evaluating the size that is assigned reads variables and computes, and does nothing else.
fn is_without_effect(assignment: &Expr) -> bool {
    fn is_plain(value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Int(_) | ExprKind::Var(_) => true,
            ExprKind::Load(inner) | ExprKind::Convert(inner) | ExprKind::Neg(inner) => is_plain(inner),
            ExprKind::Binary(_, left, right) => is_plain(left) && is_plain(right),
            _ => false,
        }
    }
    matches!(&assignment.kind, ExprKind::Assign(_, value) if is_plain(value))
}
