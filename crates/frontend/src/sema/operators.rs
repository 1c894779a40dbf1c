//! Operators on values: arithmetic, comparisons, logic, assignment, conditionals.

use super::Sema;
use super::convert::{is_bit_field, is_lvalue, is_unsupported};
use super::fold::{Overflow, float_negated, is_comparison};
use crate::ast::{self, At, UnaryOp};
use crate::hir::{BinaryOp, Compound, CompoundOp, Expr, ExprKind, Init, InitItem, Stmt, VarRef};
use crate::types::{Ty, Type};

/// The operation on values that an operator stands for; `&&` and `||` are none.
fn operation(op: ast::BinaryOp) -> Option<BinaryOp> {
    use ast::BinaryOp as A;
    Some(match op {
        A::Mul => BinaryOp::Mul,
        A::Div => BinaryOp::Div,
        A::Rem => BinaryOp::Rem,
        A::Add => BinaryOp::Add,
        A::Sub => BinaryOp::Sub,
        A::Shl => BinaryOp::Shl,
        A::Shr => BinaryOp::Shr,
        A::Lt => BinaryOp::Lt,
        A::Gt => BinaryOp::Gt,
        A::Le => BinaryOp::Le,
        A::Ge => BinaryOp::Ge,
        A::Eq => BinaryOp::Eq,
        A::Ne => BinaryOp::Ne,
        A::BitAnd => BinaryOp::BitAnd,
        A::BitXor => BinaryOp::BitXor,
        A::BitOr => BinaryOp::BitOr,
        A::LogAnd | A::LogOr => return None,
    })
}

impl<'a> Sema<'a> {
    pub(super) fn binary(
        &mut self,
        op: ast::BinaryOp,
        left: &'a ast::Expr<'a>,
        right: &'a ast::Expr<'a>,
        at: At,
    ) -> Expr {
        match operation(op) {
            Some(op) => {
                let left = self.value(left);
                let right = self.value(right);
                self.arithmetic(op, left, right, at)
            }
            None => self.logical(op == ast::BinaryOp::LogAnd, left, right, at),
        }
    }

    /// `&&` and `||`; a constant left operand that decides leaves the right one unevaluated.
    fn logical(&mut self, is_and: bool, left: &'a ast::Expr<'a>, right: &'a ast::Expr<'a>, at: At) -> Expr {
        let left = self.condition(left);
        let decided = self.truth(&left);
        if decided == Some(!is_and) {
            self.unevaluated(|sema| sema.condition(right));
            return self.int_constant(i128::from(!is_and), self.basic.int, at);
        }
        let right = self.condition(right);
        if let (Some(_), Some(truth)) = (decided, self.truth(&right)) {
            return self.int_constant(i128::from(truth), self.basic.int, at);
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = if is_and { ExprKind::LogAnd(left, right) } else { ExprKind::LogOr(left, right) };
        Expr { ty: self.basic.int, span: self.span(at), kind }
    }

    /// An operation on two values, of whatever types.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, at: At) -> Expr {
        if is_unsupported(&left) || is_unsupported(&right) {
            return self.unsupported_operation(op, left, right);
        }
        if self.is_composite(left.ty) || self.is_composite(right.ty) {
            return self.composite_operation(op, left, right, at);
        }
        match (self.pointee(left.ty), self.pointee(right.ty)) {
            (Some(_), Some(_)) if op == BinaryOp::Sub => self.pointer_difference(left, right, at),
            (Some(_), _) | (_, Some(_)) if is_comparison(op) => self.pointer_comparison(op, left, right, at),
            (Some(_), None) if matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.is_integer(right.ty) => {
                self.pointer_add(left, right, op == BinaryOp::Sub, at)
            }
            (None, Some(_)) if op == BinaryOp::Add && self.is_integer(left.ty) => {
                self.pointer_add(right, left, false, at)
            }
            (None, None) if self.is_arithmetic(left.ty) && self.is_arithmetic(right.ty) => {
                self.number_operation(op, left, right, at)
            }
            _ => self.odd_operands(&left, &right, at),
        }
    }

    /// An operation with a part that has no model has none itself.
    fn unsupported_operation(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let (ty, span) = if is_unsupported(&left) { (left.ty, left.span) } else { (right.ty, right.span) };
        let ty = if is_comparison(op) { self.basic.int } else { ty };
        let kind = match (left.kind, right.kind) {
            (kind @ ExprKind::Unsupported(_), _) => kind,
            (_, kind) => kind,
        };
        Expr { ty, span, kind }
    }

    fn odd_operands(&mut self, left: &Expr, right: &Expr, at: At) -> Expr {
        for ty in [left.ty, right.ty] {
            if let Type::Opaque { what, .. } = *self.types.unatomic(ty) {
                return self.unsupported(ty, self.span(at), format!("a value of {what}"));
            }
        }
        self.wrong(at, "the operands have types this operator does not take")
    }

    fn number_operation(&mut self, op: BinaryOp, left: Expr, right: Expr, at: At) -> Expr {
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let integers = self.is_integer(left.ty) && self.is_integer(right.ty);
        let only_integers =
            is_shift || matches!(op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if only_integers && !integers {
            return self.wrong(at, "the operands of this operator should be integers");
        }
        let (left, right, ty) = if is_shift {
            let left = self.promote(left);
            let ty = left.ty;
            let right = self.shift_amount(right, ty);
            (left, right, ty)
        } else {
            self.usual(left, right)
        };
        let result = if is_comparison(op) { self.basic.int } else { ty };
        self.operation(op, ty, result, left, right, at)
    }

    /// The amount of a shift, in the type of what is shifted unless that is narrower: an amount that is out of range must stay so.
    fn shift_amount(&mut self, amount: Expr, ty: Ty) -> Expr {
        let is_wider = match (self.shape(amount.ty), self.shape(ty)) {
            (Some(amount), Some(shifted)) => amount.bits > shifted.bits,
            _ => false,
        };
        if is_wider && !matches!(amount.kind, ExprKind::Int(_)) { amount } else { self.convert(amount, ty) }
    }

    fn operation(&mut self, op: BinaryOp, ty: Ty, result: Ty, left: Expr, right: Expr, at: At) -> Expr {
        let kind = match self.folded(op, ty, &left, &right) {
            Some(kind) => kind,
            None => ExprKind::Binary(op, Box::new(left), Box::new(right)),
        };
        Expr { ty: result, span: self.span(at), kind }
    }

    fn pointer_comparison(&mut self, op: BinaryOp, left: Expr, right: Expr, at: At) -> Expr {
        if self.float_kind(left.ty).is_some() || self.float_kind(right.ty).is_some() {
            return self.wrong(at, "a pointer is compared with a floating number");
        }
        let ty =
            if self.pointee(left.ty).is_some() && !self.is_null_constant(&left) { left.ty } else { right.ty };
        let ty = if self.pointee(ty).is_some() { ty } else { left.ty };
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        self.operation(op, ty, self.basic.int, left, right, at)
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr, at: At) -> Expr {
        let (ty, span) = (self.basic.ptrdiff, self.span(at));
        if let Some(size) = self.variable_element_size(left.ty, span) {
            let kind = ExprKind::PtrDiff { left: Box::new(left), right: Box::new(right), scale: 1 };
            let size = self.convert(size, ty);
            return self.arithmetic(BinaryOp::Div, Expr { ty, span, kind }, size, at);
        }
        let Some(scale) = self.element_size(left.ty) else {
            return self.unsupported(ty, span, "arithmetic on pointers to incomplete types");
        };
        let kind = ExprKind::PtrDiff { left: Box::new(left), right: Box::new(right), scale };
        let difference = Expr { ty, span, kind };
        match self.evaluate(&difference) {
            Some(super::constant::Constant::Int(bits)) => Expr { ty, span, kind: ExprKind::Int(bits) },
            _ => difference,
        }
    }

    /// The size of what a pointer points to; `None` if it is not known or zero.
    pub(super) fn element_size(&self, pointer: Ty) -> Option<u64> {
        self.types.size_of(self.pointee(pointer)?)
    }

    /// Pointer plus or minus an integer.
    pub(super) fn pointer_add(&mut self, pointer: Expr, index: Expr, negative: bool, at: At) -> Expr {
        let (ty, span) = (pointer.ty, self.span(at));
        let Some((index, scale)) = self.scaled_index(ty, index, at) else {
            return self.unsupported(ty, span, "arithmetic on pointers to incomplete types");
        };
        if let ExprKind::Int(0) = index.kind {
            return Expr { span, ..pointer };
        }
        let is_constant = matches!((&pointer.kind, &index.kind), (ExprKind::Int(_), ExprKind::Int(_)));
        let kind = ExprKind::PtrAdd { ptr: Box::new(pointer), index: Box::new(index), scale, negative };
        let sum = Expr { ty, span, kind };
        match is_constant.then(|| self.evaluate(&sum)).flatten() {
            Some(super::constant::Constant::Int(bits)) => Expr { ty, span, kind: ExprKind::Int(bits) },
            _ => sum,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: &'a ast::Expr<'a>, at: At) -> Expr {
        match op {
            UnaryOp::Extension => self.expr(operand),
            UnaryOp::Deref => {
                let pointer = self.value(operand);
                self.deref(pointer, at)
            }
            UnaryOp::AddrOf => self.address_of(operand, at),
            UnaryOp::PreInc => self.increment(operand, false, false, at),
            UnaryOp::PreDec => self.increment(operand, true, false, at),
            UnaryOp::PostInc => self.increment(operand, false, true, at),
            UnaryOp::PostDec => self.increment(operand, true, true, at),
            UnaryOp::Not => {
                let value = self.condition(operand);
                self.not(value, at)
            }
            UnaryOp::Plus | UnaryOp::Neg | UnaryOp::BitNot => {
                let value = self.value(operand);
                self.number_unary(op, value, at)
            }
            UnaryOp::Real | UnaryOp::Imag => {
                let operand = self.expr(operand);
                self.complex_part(operand, op == UnaryOp::Imag, at)
            }
        }
    }

    fn not(&mut self, value: Expr, at: At) -> Expr {
        if let Some(truth) = self.truth(&value) {
            return self.int_constant(i128::from(!truth), self.basic.int, at);
        }
        Expr { ty: self.basic.int, span: self.span(at), kind: ExprKind::Not(Box::new(value)) }
    }

    pub(super) fn number_unary(&mut self, op: UnaryOp, value: Expr, at: At) -> Expr {
        if is_unsupported(&value) {
            return value;
        }
        if self.is_composite(value.ty) {
            return self.composite_unary(op, value, at);
        }
        let allowed =
            if op == UnaryOp::BitNot { self.is_integer(value.ty) } else { self.is_arithmetic(value.ty) };
        if !allowed {
            return self.odd_operands(&value, &value, at);
        }
        let value = self.promote(value);
        let (ty, span) = (value.ty, self.span(at));
        let shape = self.shape(ty);
        let kind = match (op, &value.kind, shape) {
            (UnaryOp::Plus, ..) => return value,
            (UnaryOp::Neg, ExprKind::Float(bits), _) => match self.float_kind(ty) {
                Some(kind) => ExprKind::Float(float_negated(kind, *bits)),
                None => ExprKind::Neg(Box::new(value)),
            },
            (UnaryOp::Neg, ExprKind::Int(bits), Some(shape)) => match shape.negate(*bits, Overflow::Keep) {
                Some(bits) => ExprKind::Int(bits),
                None => ExprKind::Neg(Box::new(value)),
            },
            (UnaryOp::Neg, ..) => ExprKind::Neg(Box::new(value)),
            (_, ExprKind::Int(bits), Some(shape)) => ExprKind::Int(shape.truncate(!bits)),
            _ => ExprKind::BitNot(Box::new(value)),
        };
        Expr { ty, span, kind }
    }

    pub(super) fn assign(&mut self, left: &'a ast::Expr<'a>, right: &'a ast::Expr<'a>, at: At) -> Expr {
        let Some(lvalue) = self.modifiable(left) else {
            self.value(right);
            return self.unsupported(
                self.basic.int,
                self.span(at),
                "assignment to something that is no object",
            );
        };
        let value = self.value(right);
        let ty = self.unatomic(lvalue.ty);
        let value = self.assign_convert(value, ty, at);
        Expr { ty, span: self.span(at), kind: ExprKind::Assign(Box::new(lvalue), Box::new(value)) }
    }

    /// The left operand of an assignment, or `None` after an error.
    fn modifiable(&mut self, operand: &'a ast::Expr<'a>) -> Option<Expr> {
        let lvalue = self.expr(operand);
        if is_unsupported(&lvalue) {
            return Some(lvalue);
        }
        let is_object = !matches!(
            self.types.get(lvalue.ty),
            Type::Array(..) | Type::Vla(..) | Type::Function { .. } | Type::Void
        );
        if is_lvalue(&lvalue) && is_object {
            return Some(lvalue);
        }
        self.error(operand.at, "only an object can be assigned to");
        None
    }

    pub(super) fn assign_op(
        &mut self,
        op: ast::BinaryOp,
        left: &'a ast::Expr<'a>,
        right: &'a ast::Expr<'a>,
        at: At,
    ) -> Expr {
        let lvalue = self.modifiable(left);
        let value = self.value(right);
        match (lvalue, operation(op)) {
            (Some(lvalue), Some(op)) => self.compound(lvalue, op, value, false, at),
            _ => self.unsupported(self.basic.int, self.span(at), "assignment to something that is no object"),
        }
    }

    fn increment(&mut self, operand: &'a ast::Expr<'a>, down: bool, post: bool, at: At) -> Expr {
        let Some(lvalue) = self.modifiable(operand) else {
            return self.unsupported(
                self.basic.int,
                self.span(at),
                "assignment to something that is no object",
            );
        };
        let one = self.int_constant(1, self.basic.int, at);
        self.compound(lvalue, if down { BinaryOp::Sub } else { BinaryOp::Add }, one, post, at)
    }

    fn compound(&mut self, lvalue: Expr, op: BinaryOp, value: Expr, post: bool, at: At) -> Expr {
        let (ty, span) = (self.unatomic(lvalue.ty), self.span(at));
        if is_unsupported(&lvalue) || is_unsupported(&value) {
            let kind = if is_unsupported(&lvalue) { lvalue.kind } else { value.kind };
            return Expr { ty, span, kind };
        }
        if self.is_composite(ty) || self.is_composite(value.ty) {
            return self.composite_compound(lvalue, op, value, post, at);
        }
        let (operation, compute, value) = if self.pointee(ty).is_some() {
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub) || !self.is_integer(value.ty) {
                return self.odd_operands(&lvalue, &value, at);
            }
            let Some((value, scale)) = self.scaled_index(ty, value, at) else {
                return self.unsupported(ty, span, "arithmetic on pointers to incomplete types");
            };
            (CompoundOp::Pointer { scale, negative: op == BinaryOp::Sub }, ty, value)
        } else if self.is_arithmetic(ty) && self.is_arithmetic(value.ty) {
            let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            let compute = if is_shift {
                self.compute_type(&lvalue, None)
            } else {
                self.compute_type(&lvalue, Some(&value))
            };
            let only_integers = is_shift
                || matches!(op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
            if only_integers && !self.is_integer(compute) {
                return self.wrong(at, "the operands of this operator should be integers");
            }
            let value =
                if is_shift { self.shift_amount(value, compute) } else { self.convert(value, compute) };
            (CompoundOp::Arith(op), compute, value)
        } else {
            return self.odd_operands(&lvalue, &value, at);
        };
        let compound = Compound { lvalue, op: operation, value, compute, post };
        Expr { ty, span, kind: ExprKind::AssignOp(Box::new(compound)) }
    }

    /// The type in which a compound assignment computes.
    fn compute_type(&mut self, lvalue: &Expr, value: Option<&Expr>) -> Ty {
        match value {
            None => self.promoted(lvalue),
            Some(value) => self.common_type(lvalue, value),
        }
    }

    pub(super) fn comma(&mut self, left: &'a ast::Expr<'a>, right: &'a ast::Expr<'a>, at: At) -> Expr {
        let left = self.value(left);
        let right = self.value(right);
        if matches!(left.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return right;
        }
        Expr { ty: right.ty, span: self.span(at), kind: ExprKind::Comma(Box::new(left), Box::new(right)) }
    }

    /// `c ? a : b`. With a constant condition, the other branch is not evaluated and counts for nothing but the type.
    pub(super) fn conditional(
        &mut self,
        condition: &'a ast::Expr<'a>,
        yes: Option<&'a ast::Expr<'a>>,
        no: &'a ast::Expr<'a>,
        at: At,
    ) -> Expr {
        let condition = self.condition(condition);
        let Some(yes) = yes else {
            // The local that keeps the value is no bit-field any more: it must have the promoted type.
            let condition = if is_bit_field(&condition) { self.promote(condition) } else { condition };
            return self.elvis(condition, no, at);
        };
        let chosen = self.truth(&condition);
        let yes = self.branch(yes, chosen == Some(false));
        let no = self.branch(no, chosen == Some(true));
        let (yes, no, ty) = self.unified(yes, no, at);
        match chosen {
            Some(true) => yes,
            Some(false) => no,
            None => {
                let kind = ExprKind::Cond(Box::new(condition), Box::new(yes), Box::new(no));
                Expr { ty, span: self.span(at), kind }
            }
        }
    }

    fn branch(&mut self, expr: &'a ast::Expr<'a>, dead: bool) -> Expr {
        if dead { self.unevaluated(|sema| sema.value(expr)) } else { self.value(expr) }
    }

    /// GNU's `c ?: b`: the condition is evaluated once, into a local.
    fn elvis(&mut self, condition: Expr, no: &'a ast::Expr<'a>, at: At) -> Expr {
        let span = self.span(at);
        match self.truth(&condition) {
            Some(true) => {
                let no = self.branch(no, true);
                return self.unified(condition, no, at).0;
            }
            Some(false) => {
                let no = self.value(no);
                return self.unified(condition, no, at).1;
            }
            None => {}
        }
        let condition_ty = condition.ty;
        let local = self.new_local("", condition_ty, span);
        let items = vec![InitItem { offset: 0, bits: None, value: condition }];
        let keep = Stmt::Decl { local, init: Some(Init { zero_fill: false, items }), span };
        let read = || {
            let variable = Expr { ty: condition_ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
            Expr { ty: condition_ty, span, kind: ExprKind::Load(Box::new(variable)) }
        };
        let no = self.value(no);
        let (yes, no, ty) = self.unified(read(), no, at);
        let choice = Expr { ty, span, kind: ExprKind::Cond(Box::new(read()), Box::new(yes), Box::new(no)) };
        Expr { ty, span, kind: ExprKind::StmtExpr(vec![keep], Some(Box::new(choice))) }
    }

    /// Both branches of a conditional, converted to its type.
    fn unified(&mut self, yes: Expr, no: Expr, at: At) -> (Expr, Expr, Ty) {
        if yes.ty == no.ty && !self.is_integer(yes.ty) {
            let ty = yes.ty;
            return (yes, no, ty);
        }
        if self.is_arithmetic(yes.ty) && self.is_arithmetic(no.ty) {
            return self.usual(yes, no);
        }
        let ty = if self.is_void(yes.ty) || self.is_void(no.ty) {
            self.basic.void
        } else if self.is_composite(yes.ty) || self.is_composite(no.ty) {
            return self.unified_composites(yes, no);
        } else if is_unsupported(&yes) {
            no.ty
        } else if is_unsupported(&no) {
            yes.ty
        } else {
            match (self.pointee(yes.ty), self.pointee(no.ty)) {
                (Some(_), _) if self.is_null_constant(&no) => yes.ty,
                (_, Some(_)) if self.is_null_constant(&yes) => no.ty,
                (Some(target), Some(other)) => {
                    let target = if self.is_void(other) && !self.is_void(target) {
                        (other, target)
                    } else {
                        (target, other)
                    };
                    let qualifiers = self.types.qualifiers(target.1);
                    let pointee = self.types.qualify(target.0, qualifiers);
                    self.pointer_to(pointee)
                }
                (Some(_), _) => yes.ty,
                (None, Some(_)) => no.ty,
                (None, None) => {
                    let odd = self.wrong(at, "the branches of a conditional have incompatible types");
                    let int = self.basic.int;
                    let other = self.unsupported(int, odd.span, "incompatible types");
                    return (odd, other, int);
                }
            }
        };
        (self.convert(yes, ty), self.convert(no, ty), ty)
    }
}
