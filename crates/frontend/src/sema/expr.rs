//! Expressions: the dispatch, names, casts, `sizeof` and its kin, and GNU's forms.

use super::convert::{is_bit_field, is_unsupported};
use super::scope::Symbol;
use super::stmt::has_cleanup;
use super::variable::after_sizes;
use super::{NO_ID, Sema};
use crate::ast::{self, At, Designator, InitItem, TypeName};
use crate::hir::{Expr, ExprKind, Stmt, StrId, VarRef};
use crate::types::{Composite, Ty, Type};
use base::{Idx, Span};

impl<'a> Sema<'a> {
    /// Types an expression; the result may be an lvalue.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr<'a>) -> Expr {
        use ast::ExprKind as E;
        let at = expr.at;
        match &expr.kind {
            E::Ident(name) => self.identifier(name, at),
            E::Number(spelling) => self.number(spelling, at),
            E::Char(spelling) => self.char_literal(spelling, at),
            E::Str(literals) => self.string_literal(literals, at),
            E::Binary(op, left, right) => self.binary(*op, left, right, at),
            E::Assign(None, left, right) => self.assign(left, right, at),
            E::Assign(Some(op), left, right) => self.assign_op(*op, left, right, at),
            E::Unary(op, operand) => self.unary(*op, operand, at),
            E::Cond(condition, yes, no) => self.conditional(condition, yes.as_deref(), no, at),
            E::Comma(left, right) => self.comma(left, right, at),
            E::Cast(name, operand) => self.cast(name, operand, at),
            E::CompoundLiteral(name, items) => self.compound_literal(name, items, at),
            E::Call(callee, args) => self.call(callee, args, at),
            E::Index(array, index) => self.index(array, index, at),
            E::Member(record, name) => self.member_access(record, name, at),
            E::Arrow(pointer, name) => self.arrow(pointer, name, at),
            E::SizeofExpr(operand) => self.sizeof_expr(operand, at),
            E::SizeofType(name) => self.sizeof_type(name, at),
            E::AlignofExpr(operand, is_standard) => self.alignof_object(operand, *is_standard, at),
            E::AlignofType(name, is_standard) => match self.type_name(name) {
                named if named.type_align > 0 => {
                    self.int_constant(i128::from(named.type_align), self.basic.size, at)
                }
                named => self.alignof(named.ty, named.align, *is_standard, at),
            },
            E::StmtExpr(stmts) => self.statement_expression(stmts, at),
            E::LabelAddr(label) => self.label_address(label, at),
            E::Generic(selector, arms) => self.generic(selector, arms, at),
            E::VaArg(list, name) => self.va_arg(list, name, at),
            E::TypesCompatible(left, right) => {
                let (left, right) = (self.type_name(left).ty, self.type_name(right).ty);
                // The qualifiers of the types themselves do not count; for an array these are its elements'.
                let (left, right) = (self.unqualified_array(left), self.unqualified_array(right));
                let compatible = self.same_type(left, right);
                self.int_constant(i128::from(compatible), self.basic.int, at)
            }
            E::Offsetof(name, path) => self.offsetof(name, path, at),
            E::ChooseExpr(condition, yes, no) => match self.constant_integer(condition) {
                Some(0) => self.expr(no),
                Some(_) => self.expr(yes),
                None => self.wrong(at, "the first argument of __builtin_choose_expr should be constant"),
            },
        }
    }

    /// Types an expression and takes its value.
    pub(super) fn value(&mut self, expr: &'a ast::Expr<'a>) -> Expr {
        let typed = self.expr(expr);
        self.decay(typed)
    }

    /// Types a condition: a scalar value.
    pub(super) fn condition(&mut self, expr: &'a ast::Expr<'a>) -> Expr {
        let value = self.value(expr);
        self.as_condition(value, expr.at)
    }

    /// Checks that a value can be tested against zero.
    pub(super) fn as_condition(&mut self, value: Expr, at: At) -> Expr {
        if self.is_scalar(value.ty) || is_unsupported(&value) {
            return value;
        }
        if let Some(Composite::Complex(_)) = self.types.composite_of(value.ty) {
            return self.complex_truth(value, at);
        }
        if let Type::Opaque { what, .. } = *self.types.get(value.ty) {
            return self.unsupported(self.basic.int, value.span, format!("a value of {what}"));
        }
        self.wrong(at, "a condition should be a number or pointer")
    }

    /// An integer constant.
    pub(super) fn int_constant(&self, value: i128, ty: Ty, at: At) -> Expr {
        let bits =
            self.shape(ty).map_or(value.cast_unsigned(), |shape| shape.truncate(value.cast_unsigned()));
        Expr { ty, span: self.span(at), kind: ExprKind::Int(bits) }
    }

    fn identifier(&mut self, name: &'a str, at: At) -> Expr {
        let span = self.span(at);
        match self.scopes[self.unit].names.get(name) {
            Some(Symbol::Vla { ty, .. }) if self.is_of_outer_function(name) => {
                self.unsupported(ty, span, format!("'{name}' of the function around a nested function"))
            }
            Some(Symbol::Local { local, ty }) if self.is_of_outer_function(name) => {
                self.captured(name, local, ty, span)
            }
            Some(Symbol::Local { local, ty }) => Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) },
            Some(Symbol::Vla { local, ty }) => self.variable_array_lvalue(local, ty, span),
            Some(Symbol::Object { object, ty }) => self.object_reference(object, ty, at),
            Some(Symbol::Function { function, ty, .. }) => {
                let reference = self.function_reference(function, ty, at);
                self.captures_of_callee(name, reference)
            }
            Some(Symbol::Enumerator { ty, value }) => self.int_constant(value, ty, at),
            Some(Symbol::Typedef { .. }) => self.wrong(at, format!("'{name}' is a type, not a value")),
            None => self.undeclared(name, at),
        }
    }

    /// Returns true if a local variable belongs to a function around the one being typed.
    fn is_of_outer_function(&self, name: &str) -> bool {
        let declared = self.scopes[self.unit].names.depth_of(name);
        matches!((declared, &self.body), (Some(declared), Some(body)) if declared < body.depth)
    }

    fn undeclared(&mut self, name: &'a str, at: At) -> Expr {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let mut bytes = self.body.as_ref().map_or(Vec::new(), |body| body.name.as_bytes().to_vec());
            bytes.push(0);
            return self.string_object(bytes, crate::types::IntKind::Char, at);
        }
        // Keywords since C23; older programs may give these names a meaning of their own.
        match name {
            "true" | "false" => return self.int_constant(i128::from(name == "true"), self.basic.bool, at),
            "nullptr" => return self.int_constant(0, self.basic.void_ptr, at),
            _ => {}
        }
        if let Some(function) = self.builtin_designator(name, at) {
            return function;
        }
        self.wrong(at, format!("'{name}' is not declared"))
    }

    fn cast(&mut self, name: &'a TypeName<'a>, operand: &'a ast::Expr<'a>, at: At) -> Expr {
        let (declared, sizes) = self.evaluated_type_name(name);
        let value = self.value(operand);
        let to = self.unatomic(declared.ty);
        let value = self.cast_to(value, to, at);
        after_sizes(sizes, value)
    }

    fn cast_to(&mut self, value: Expr, to: Ty, at: At) -> Expr {
        match self.types.get(to) {
            // The value of a bit-field cast to its own type is no bit-field any more, and promotes differently.
            _ if value.ty == to && is_bit_field(&value) => {
                Expr { ty: to, span: value.span, kind: ExprKind::Convert(Box::new(value)) }
            }
            _ if value.ty == to => value,
            _ if self.is_composite(value.ty) && !self.is_void(to) || self.is_composite(to) => {
                self.composite_cast(value, to, at)
            }
            Type::Record(id) if self.types.record(*id).is_union => self.union_cast(value, to, *id, at),
            Type::Record(_) | Type::Array(..) | Type::Vla(..) | Type::Function { .. } => {
                self.wrong(at, "a cast should be to a number or pointer type")
            }
            _ if matches!(self.types.get(value.ty), Type::Record(_)) && !self.is_void(to) => {
                self.wrong(at, "a record is cast to another type")
            }
            _ if self.is_void(value.ty) && !self.is_void(to) => self.wrong(at, "a void value is used"),
            _ => self.convert(value, to),
        }
    }

    /// The alignment that a variable's declaration asks for, or 0.
    fn asked_of_object(&self, operand: &ast::Expr<'a>) -> u64 {
        let ast::ExprKind::Ident(name) = operand.kind else { return 0 };
        match (self.scopes[self.unit].names.get(name), &self.body) {
            (Some(Symbol::Local { local, .. }), Some(body)) => {
                body.locals.get(local).map_or(0, |local| local.align)
            }
            (Some(Symbol::Object { object, .. }), _) => self.linkage.objects[object].align,
            _ => 0,
        }
    }

    /// The alignment of an object: that of a member is what its record gives it.
    fn alignof_object(&mut self, operand: &'a ast::Expr<'a>, is_standard: bool, at: At) -> Expr {
        let ty = self.unevaluated(|sema| sema.expr(operand)).ty;
        let member = match &operand.kind {
            ast::ExprKind::Member(record, name) => {
                Some((self.unevaluated(|sema| sema.expr(record)).ty, name))
            }
            ast::ExprKind::Arrow(pointer, name) => {
                let pointer = self.unevaluated(|sema| sema.value(pointer)).ty;
                self.pointee(pointer).map(|record| (record, name))
            }
            _ => None,
        };
        match member.and_then(|(record, name)| self.find_field(record, name)) {
            Some(found) if found.bits.is_none() => {
                self.int_constant(i128::from(found.align), self.basic.size, at)
            }
            _ => {
                let asked = self.asked_of_object(operand);
                self.alignof(ty, asked, is_standard, at)
            }
        }
    }

    /// The alignment of an object of type `ty`, if more is not asked for; `_Alignof` gives the least that its type may have anywhere.
    fn alignof(&mut self, ty: Ty, asked: u64, is_standard: bool, at: At) -> Expr {
        let align = if is_standard { self.types.align_of(ty) } else { self.types.preferred_align_of(ty) };
        match align {
            Some(align) => self.int_constant(i128::from(align.max(asked)), self.basic.size, at),
            None => self.wrong(at, "the alignment of an incomplete type is asked for"),
        }
    }

    fn statement_expression(&mut self, stmts: &'a [ast::Stmt<'a>], at: At) -> Expr {
        let span = self.span(at);
        if self.body.is_none() {
            return self.wrong(at, "a statement expression stands outside a function");
        }
        self.enter_block(stmts);
        let mut typed: Vec<Stmt> = Vec::with_capacity(stmts.len());
        let mut result = None;
        for (n, stmt) in stmts.iter().enumerate() {
            let mut last = stmt;
            if n + 1 == stmts.len() {
                while let ast::StmtKind::Label(label, inner) = &last.kind {
                    self.label(label, last.at, &mut typed);
                    last = inner;
                }
                if let ast::StmtKind::Expr(value) = &last.kind {
                    result = Some(self.value(value));
                    break;
                }
            }
            self.stmt(last, &mut typed);
        }
        self.leave_block();
        let ty = result.as_ref().map_or(self.basic.void, |value| value.ty);
        if has_cleanup(&typed) {
            return self.value_before_cleanup(typed, result, ty, span);
        }
        Expr { ty, span, kind: ExprKind::StmtExpr(typed, result.map(Box::new)) }
    }

    /// A statement expression whose block makes calls when it is left: its value is computed before.
    fn value_before_cleanup(
        &mut self,
        mut stmts: Vec<Stmt>,
        value: Option<Expr>,
        ty: Ty,
        span: Span,
    ) -> Expr {
        let value = match value {
            Some(value) if !self.is_void(ty) => value,
            other => {
                stmts.extend(other.map(Stmt::Expr));
                return Expr { ty, span, kind: ExprKind::StmtExpr(vec![Stmt::Block(stmts)], None) };
            }
        };
        let local = self.new_local("", ty, span);
        let variable = || Box::new(Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) });
        let kept = Expr { ty, span, kind: ExprKind::Assign(variable(), Box::new(value)) };
        stmts.push(Stmt::Expr(kept));
        let result = Expr { ty, span, kind: ExprKind::Load(variable()) };
        Expr { ty, span, kind: ExprKind::StmtExpr(vec![Stmt::Block(stmts)], Some(Box::new(result))) }
    }

    fn label_address(&mut self, label: &'a str, at: At) -> Expr {
        let span = self.span(at);
        let id = self.label_id(label, at);
        let Some(body) = &mut self.body else {
            return self.wrong(at, "a label's address is taken outside a function");
        };
        if !body.address_labels.contains(&id) {
            body.address_labels.push(id);
        }
        Expr { ty: self.basic.void_ptr, span, kind: ExprKind::LabelAddr(id) }
    }

    fn generic(
        &mut self,
        selector: &'a ast::Expr<'a>,
        arms: &'a [(Option<TypeName<'a>>, ast::Expr<'a>)],
        at: At,
    ) -> Expr {
        let value = self.unevaluated(|sema| sema.value(selector));
        let ty = self.unatomic(value.ty);
        for (name, value) in arms {
            if let Some(name) = name {
                let arm = self.type_name(name).ty;
                if self.same_type(ty, arm) {
                    return self.expr(value);
                }
            }
        }
        match arms.iter().find(|(name, _)| name.is_none()) {
            Some((_, value)) => self.expr(value),
            None => self.wrong(at, "no association of _Generic fits"),
        }
    }

    fn unqualified_array(&mut self, ty: Ty) -> Ty {
        match *self.types.get(ty) {
            Type::Array(element, count) => {
                let element = self.unqualified_array(element);
                self.types.intern(Type::Array(element, count))
            }
            Type::Vla(element, size) => {
                let element = self.unqualified_array(element);
                self.types.intern(Type::Vla(element, size))
            }
            _ => self.types.unqualified(ty),
        }
    }

    /// C's compatible types, qualifiers included.
    fn same_type(&self, left: Ty, right: Ty) -> bool {
        if left == right {
            return true;
        }
        if !matches!(self.types.get(left), Type::Array(..) | Type::Vla(..))
            && self.types.qualifiers(left) != self.types.qualifiers(right)
        {
            return false;
        }
        self.compatible_by(left, right, Self::same_type)
    }

    /// C's compatible types, whatever their qualifiers.
    pub(super) fn compatible(&self, left: Ty, right: Ty) -> bool {
        self.compatible_by(left, right, Self::compatible)
    }

    /// Whether two types, apart from their qualifiers, are compatible if `same` says it of their parts.
    fn compatible_by(&self, left: Ty, right: Ty, same: impl Fn(&Self, Ty, Ty) -> bool) -> bool {
        if self.types.unqualified(left) == self.types.unqualified(right) {
            return true;
        }
        match (self.types.get(left), self.types.get(right)) {
            (Type::Pointer(a), Type::Pointer(b)) | (Type::Atomic(a), Type::Atomic(b)) => same(self, *a, *b),
            (Type::Array(a, m), Type::Array(b, n)) => {
                (m.is_none() || n.is_none() || m == n) && same(self, *a, *b)
            }
            (Type::Array(a, _) | Type::Vla(a, _), Type::Vla(b, _)) | (Type::Vla(a, _), Type::Array(b, _)) => {
                same(self, *a, *b)
            }
            (
                Type::Function { ret: a, params: p, prototype: x, variadic: v },
                Type::Function { ret: b, params: q, prototype: y, variadic: w },
            ) => {
                let same_params =
                    v == w && p.len() == q.len() && p.iter().zip(q).all(|(p, q)| same(self, *p, *q));
                same(self, *a, *b) && (!x || !y || same_params)
            }
            _ => false,
        }
    }

    /// `__builtin_va_arg`: the list is passed by its address, since it moves on.
    fn va_arg(&mut self, list: &'a ast::Expr<'a>, name: &'a TypeName<'a>, at: At) -> Expr {
        let (declared, sizes) = self.evaluated_type_name(name);
        let ty = self.types.unqualified(declared.ty);
        let list = self.expr(list);
        let list = self.list_address(list);
        after_sizes(sizes, Expr { ty, span: self.span(at), kind: ExprKind::VaArg(Box::new(list)) })
    }

    /// The address of a `va_list`. Where it is an array, a parameter that is declared as one is its address.
    pub(super) fn list_address(&mut self, list: Expr) -> Expr {
        if is_unsupported(&list) {
            return list;
        }
        if let Type::Array(element, _) = *self.types.get(self.basic.va_list) {
            let list = self.decay(list);
            return match *self.types.get(list.ty) {
                Type::Pointer(pointee) if self.types.unqualified(pointee) == element => list,
                _ => self.unsupported(
                    self.basic.void_ptr,
                    list.span,
                    "a list of arguments that is no `va_list`",
                ),
            };
        }
        if !super::convert::is_lvalue(&list) {
            return self.unsupported(self.basic.void_ptr, list.span, "a list of arguments that is no object");
        }
        let pointer = self.pointer_to(list.ty);
        self.address(list, pointer)
    }

    fn offsetof(&mut self, name: &'a TypeName<'a>, path: &'a [Designator<'a>], at: At) -> Expr {
        let mut ty = self.type_name(name).ty;
        let mut offset: u64 = 0;
        let mut index = None;
        for designator in path {
            match designator {
                Designator::Field(field) => {
                    let Some(found) = self.find_field(ty, field) else {
                        return self.wrong(at, format!("there is no member '{field}'"));
                    };
                    offset += found.offset;
                    ty = found.ty;
                }
                Designator::Index(value) | Designator::Range(value, _) => {
                    let Type::Array(element, _) = *self.types.get(ty) else {
                        return self.wrong(at, "what is indexed is no array");
                    };
                    let value = self.value(value);
                    let value = self.convert(value, self.basic.size);
                    let size = self.sizeof(element, at);
                    let bytes = self.arithmetic(crate::hir::BinaryOp::Mul, value, size, at);
                    index = Some(match index {
                        Some(sum) => self.arithmetic(crate::hir::BinaryOp::Add, sum, bytes, at),
                        None => bytes,
                    });
                    ty = element;
                }
            }
        }
        let fixed = self.int_constant(i128::from(offset), self.basic.size, at);
        match index {
            Some(index) => self.arithmetic(crate::hir::BinaryOp::Add, fixed, index, at),
            None => fixed,
        }
    }

    fn compound_literal(&mut self, name: &'a TypeName<'a>, items: &'a [InitItem<'a>], at: At) -> Expr {
        let declared = self.type_name(name);
        let ty = self.completed_by_items(declared.ty, items);
        let span = self.span(at);
        if self.types.size_of(ty).is_none() {
            return self.wrong(at, "a compound literal should have a complete type");
        }
        if self.unevaluated > 0 {
            let string = StrId::new(NO_ID as usize);
            return Expr { ty, span, kind: ExprKind::Str(string) };
        }
        if self.in_static_init || self.body.is_none() {
            let object = self.new_object("compound_literal".to_owned(), ty, at);
            self.linkage.objects[object].rank = super::linkage::Rank::Strong;
            let id = self.global_id(object);
            self.initialise_object_items(object, items, at);
            return Expr { ty, span, kind: ExprKind::Var(VarRef::Global(id)) };
        }
        let init = self.local_init_items(ty, items, at);
        let local = self.new_local("", ty, span);
        Expr { ty, span, kind: ExprKind::CompoundLiteral(local, Box::new(init)) }
    }
}
