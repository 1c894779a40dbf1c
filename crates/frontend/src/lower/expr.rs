//! Expressions.
//!
//! [`Builder::rvalue`] gives the value of a scalar expression, [`Builder::cond`] its truth as one bit,
//! [`Builder::effects`] evaluates for the effects only, [`Builder::place`] finds the object an lvalue designates.
//!
//! `&&`, `||` and `?:` become terms when evaluating the part that C might skip is harmless ([`Builder::is_harmless`]);
//! otherwise they become branches.

use super::arithmetic::comparison;
use super::function::{Builder, LocalPlace, Place};
use super::scalar::{self, Class};
use super::validity::Use;
use crate::hir::{self, BinaryOp, Compound, CompoundOp, ExprKind, VarRef};
use crate::types::Ty;
use base::convert::low8;
use program::{BinOp, Expr, LocId, Op, Order, UnOp, Width};

impl<'m> Builder<'_, 'm> {
    // ---- places ---------------------------------------------------------------------------------------------

    /// What an lvalue designates.
    pub(super) fn place(&mut self, expr: &'m hir::Expr) -> Place {
        self.span = expr.span;
        let order = self.order_of(expr.ty);
        match &expr.kind {
            ExprKind::Var(VarRef::Local(local)) => match self.locals[*local] {
                LocalPlace::Register(var, width) => Place::Register(var, width),
                LocalPlace::Memory(var) => Place::Memory { addr: self.local_addr(var), order },
                LocalPlace::ByReference(var) => {
                    Place::Memory { addr: Expr::Reg(var, self.ctx.model.pointer()), order }
                }
                LocalPlace::Constant(object) => {
                    Place::Memory { addr: Expr::ObjectAddr(object, self.ctx.model.pointer()), order }
                }
                LocalPlace::Missing => {
                    self.unsupported("variable of an incomplete type");
                    Place::Memory { addr: self.word(0), order }
                }
            },
            ExprKind::Var(VarRef::Global(global)) => {
                let object = self.ctx.globals[global];
                Place::Memory { addr: Expr::ObjectAddr(object, self.ctx.model.pointer()), order }
            }
            ExprKind::Str(id) => {
                let object = self.ctx.string(*id);
                Place::Memory { addr: Expr::ObjectAddr(object, self.ctx.model.pointer()), order }
            }
            ExprKind::Deref(pointer) => {
                Place::Memory { addr: self.dereferenced(pointer, Use::Access), order }
            }
            ExprKind::Member { base, offset, bits } => {
                let addr = self.address(base);
                let Some(field) = bits else {
                    return Place::Memory { addr: self.member(base, addr, *offset), order };
                };
                let (offset, field) = self.accessed_bits(*offset, *field);
                Place::Bits { addr: self.member(base, addr, offset), field }
            }
            ExprKind::CompoundLiteral(local, init) => {
                self.initialise(*local, init);
                match self.locals[*local] {
                    LocalPlace::Register(var, width) => Place::Register(var, width),
                    LocalPlace::Memory(var) | LocalPlace::ByReference(var) => {
                        Place::Memory { addr: self.local_addr(var), order }
                    }
                    LocalPlace::Constant(_) | LocalPlace::Missing => {
                        Place::Memory { addr: self.word(0), order }
                    }
                }
            }
            ExprKind::Function(id) => Place::Memory { addr: self.function_address(*id), order },
            _ => Place::Memory { addr: self.record(expr), order },
        }
    }

    /// The address of what an lvalue (or a record rvalue) designates.
    pub(super) fn address(&mut self, expr: &'m hir::Expr) -> Expr {
        match self.place(expr) {
            Place::Memory { addr, .. } | Place::Bits { addr, .. } => addr,
            Place::Register(..) => {
                self.unsupported("address of a register variable");
                self.word(0)
            }
        }
    }

    fn function_address(&mut self, id: hir::FunctionId) -> Expr {
        self.ctx.calls.address_taken.insert(id);
        if self.is_main_with_arguments(id) {
            self.unsupported("the address of `main`, which takes its arguments from the program's start");
        }
        if let Some(address) = self.closure_address(id) {
            return address;
        }
        let func = self.ctx.missing_function(id);
        Expr::FuncAddr(func, self.ctx.model.pointer())
    }

    // ---- values ---------------------------------------------------------------------------------------------

    /// The value of a scalar expression (of a `void` one: something that is never used).
    pub(super) fn rvalue(&mut self, expr: &'m hir::Expr) -> Expr {
        self.span = expr.span;
        let value = match &expr.kind {
            ExprKind::Int(bits) | ExprKind::Float(bits) => match self.ctx.width(expr.ty) {
                Some(width) => Expr::constant(*bits, width),
                None => self.no_value("constant of a type without a model"),
            },
            ExprKind::LabelAddr(label) => {
                let at = self.body.address_labels.iter().position(|l| l == label);
                self.word(at.map_or(0, |n| n as u64 + 1))
            }
            ExprKind::Load(lvalue) => self.load_lvalue(lvalue, expr.ty),
            ExprKind::AddrOf(lvalue) => match &lvalue.kind {
                ExprKind::Deref(pointer) => self.dereferenced(pointer, Use::Address),
                _ => {
                    let addr = self.address(lvalue);
                    let addr = self.checked_member(addr, lvalue);
                    self.checked_alignment(addr, lvalue)
                }
            },
            ExprKind::Convert(inner) => self.conversion(inner, expr.ty),
            ExprKind::Neg(inner) => self.negation(inner, expr.ty),
            ExprKind::BitNot(inner) => {
                let value = self.rvalue(inner);
                Expr::unary(UnOp::Not, value)
            }
            ExprKind::Not(_) | ExprKind::LogAnd(..) | ExprKind::LogOr(..) => self.truth_as_int(expr),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.ty),
            ExprKind::PtrAdd { ptr, index, scale, negative } => {
                self.pointer_added(ptr, index, (*scale, *negative), Use::Address)
            }
            ExprKind::PtrDiff { left, right, scale } => self.pointer_difference(left, right, *scale),
            ExprKind::Cond(cond, yes, no) => self.conditional(cond, yes, no, expr.ty),
            ExprKind::Comma(first, second) => {
                self.effects(first);
                self.rvalue(second)
            }
            ExprKind::Assign(lvalue, value) => self.assignment(lvalue, value),
            ExprKind::AssignOp(compound) => self.compound(compound),
            ExprKind::StmtExpr(stmts, value) => {
                self.stmts(stmts);
                match value {
                    Some(value) => self.rvalue(value),
                    None => Expr::constant(0, Width::INT),
                }
            }
            ExprKind::Call { callee, args } => self.call(expr, callee, args, true),
            ExprKind::VaArg(list) => self.next_argument(list, expr.ty),
            ExprKind::Unsupported(what) => self.no_value(what),
            ExprKind::Member { .. } => self.member_of_value(expr),
            ExprKind::Function(id) => self.function_address(*id),
            ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral(..) => {
                self.load_lvalue(expr, expr.ty)
            }
        };
        let value = self.fitted(value, expr.ty);
        self.without_name(value, expr.ty)
    }

    /// Cuts large values by temporaries, and keeps widths in order on paths that an unsupported construct has ended.
    fn fitted(&mut self, value: Expr, ty: Ty) -> Expr {
        let value = match self.ctx.width(ty) {
            Some(width) if value.width() != width => scalar::resize(value, false, width),
            _ => value,
        };
        self.bounded(value)
    }

    fn load_lvalue(&mut self, lvalue: &'m hir::Expr, ty: Ty) -> Expr {
        let place = self.place(lvalue);
        self.span = lvalue.span;
        self.load(place, ty)
    }

    /// A member of a record that is no lvalue, such as `f().x`.
    fn member_of_value(&mut self, expr: &'m hir::Expr) -> Expr {
        let place = self.place(expr);
        self.load(place, expr.ty)
    }

    fn conversion(&mut self, inner: &'m hir::Expr, to: Ty) -> Expr {
        if matches!(self.ctx.module.types.unatomic(to), crate::types::Type::Void) {
            self.effects(inner);
            return Expr::constant(0, Width::INT);
        }
        let (from_class, to_class) = (self.class(inner.ty), self.class(to));
        match (self.ctx.width(inner.ty), self.ctx.width(to)) {
            (Some(_), Some(width)) if to_class == Class::Bool => {
                let truth = self.cond(inner);
                scalar::convert(truth, Class::Unsigned, Class::Bool, width)
            }
            (Some(_), Some(width)) => {
                // What needs less alignment may have the address of a member that is not aligned.
                let value = match &inner.kind {
                    ExprKind::AddrOf(lvalue) if self.needs_less(lvalue, to) => self.address(lvalue),
                    _ => self.rvalue(inner),
                };
                let value = self.checked_conversion(value, inner.ty, to);
                let value = self.begin_allocated_locks(value, inner, to);
                scalar::convert(value, from_class, to_class, width)
            }
            (from, _) => {
                if from.is_some() {
                    self.effects(inner);
                }
                self.no_value("conversion between types without a model")
            }
        }
    }

    fn truth_as_int(&mut self, expr: &'m hir::Expr) -> Expr {
        let truth = self.cond(expr);
        let width = self.ctx.width(expr.ty).unwrap_or(Width::INT);
        scalar::resize(scalar::convert(truth, Class::Unsigned, Class::Bool, width), false, width)
    }

    fn assignment(&mut self, lvalue: &'m hir::Expr, value: &'m hir::Expr) -> Expr {
        self.note_order([value, lvalue]);
        self.check_assignment(lvalue, value, false);
        if self.ctx.is_record(lvalue.ty) {
            self.assign_record(lvalue, value);
            return Expr::constant(0, Width::INT);
        }
        let value = self.rvalue(value);
        let place = self.place(lvalue);
        self.span = lvalue.span;
        self.check_constant(lvalue, place.address());
        match place {
            Place::Register(var, width) => {
                self.store(&place, value);
                Expr::Reg(var, width)
            }
            Place::Memory { .. } => {
                let value = self.bounded(value);
                self.store(&place, value.clone());
                value
            }
            Place::Bits { field, .. } => {
                let value = self.repeatable(value);
                self.store(&place, value.clone());
                cut_to_field(value, field)
            }
        }
    }

    /// `lvalue op= value`, `++`, `--`: one atomic step on `_Atomic` objects.
    fn compound(&mut self, compound: &'m Compound) -> Expr {
        self.note_order([&compound.value, &compound.lvalue]);
        self.check_assignment(&compound.lvalue, &compound.value, true);
        let right = self.rvalue(&compound.value);
        let right = if right.reads_memory() { self.in_temporary(right) } else { right };
        let place = self.place(&compound.lvalue);
        self.span = compound.lvalue.span;
        self.check_constant(&compound.lvalue, place.address());
        let ty = compound.lvalue.ty;
        if let Place::Memory { addr, order } = &place
            && *order != Order::Plain
        {
            let addr = self.repeatable(addr.clone());
            return self.atomic_compound(addr, right, compound);
        }
        let place = match place {
            Place::Memory { addr, order } => Place::Memory { addr: self.repeatable(addr), order },
            Place::Bits { addr, field } => Place::Bits { addr: self.repeatable(addr), field },
            register => register,
        };
        let old = self.load(place.clone(), ty);
        let moves = self.moves_pointer(compound.op);
        let old = if compound.post || moves { self.captured(old) } else { old };
        let mut new = self.combine(compound, old.clone(), right);
        if moves {
            new = self.checked_move(old.clone(), new, Use::Address, u64::MAX);
        }
        match (&place, compound.post) {
            (_, true) => {
                self.store(&place, new);
                old
            }
            (Place::Register(var, width), false) => {
                self.store(&place, new);
                Expr::Reg(*var, *width)
            }
            (Place::Memory { .. }, false) => {
                let new = self.repeatable(new);
                self.store(&place, new.clone());
                new
            }
            (Place::Bits { field, .. }, false) => {
                let new = self.repeatable(new);
                self.store(&place, new.clone());
                cut_to_field(new, *field)
            }
        }
    }

    /// A value that a later write to a register does not change.
    fn captured(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Reg(..) => {
                let repeatable = self.repeatable(value);
                debug_assert!(
                    matches!(repeatable, Expr::Reg(..)),
                    "a captured register should be a temporary"
                );
                repeatable
            }
            other => self.in_temporary(other),
        }
    }

    /// The new value of a compound assignment, in the type of the left side.
    pub(super) fn combine(&mut self, compound: &'m Compound, old: Expr, right: Expr) -> Expr {
        let ty = compound.lvalue.ty;
        match compound.op {
            CompoundOp::Pointer { scale, negative } => self.pointer_sum(old, right, scale, negative),
            CompoundOp::Arith(op) => {
                let (class, compute) = (self.class(ty), self.class(compound.compute));
                let (Some(width), Some(narrow)) = (self.ctx.width(compound.compute), self.ctx.width(ty))
                else {
                    return self.no_value("arithmetic on a type without a model");
                };
                let wide = scalar::convert(old, class, compute, width);
                let result = self.arithmetic(op, wide, right, compound.compute);
                let result = self.checked_conversion(result, compound.compute, ty);
                scalar::convert(result, compute, class, narrow)
            }
        }
    }

    // ---- truth ----------------------------------------------------------------------------------------------

    /// The truth of a scalar expression, as one bit.
    pub(super) fn cond(&mut self, expr: &'m hir::Expr) -> Expr {
        self.span = expr.span;
        match &expr.kind {
            ExprKind::Not(inner) => self.cond(inner).negated(),
            ExprKind::Binary(op, left, right) if comparison(*op).is_some() => {
                let truth = comparison(*op).expect("a comparison should have been asked for");
                let truth = self.compare(truth, left, right);
                self.bounded(truth)
            }
            ExprKind::LogAnd(left, right) if self.is_harmless(right) => {
                let (l, r) = (self.cond(left), self.cond(right));
                let both = Expr::binary(BinOp::And, l, r);
                self.bounded(both)
            }
            ExprKind::LogOr(left, right) if self.is_harmless(right) => {
                let (l, r) = (self.cond(left), self.cond(right));
                let either = Expr::binary(BinOp::Or, l, r);
                self.bounded(either)
            }
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) => self.short_circuit(expr),
            ExprKind::Convert(inner) if self.keeps_truth(inner.ty, expr.ty) => self.cond(inner),
            _ => {
                let class = self.class(expr.ty);
                let value = self.rvalue(expr);
                scalar::truth(value, class)
            }
        }
    }

    /// Returns true if converting from `from` to `to` keeps zero and non-zero apart.
    fn keeps_truth(&self, from: Ty, to: Ty) -> bool {
        match (self.ctx.width(from), self.ctx.width(to)) {
            (Some(narrow), Some(wide)) => {
                let class = self.class(to);
                class == Class::Bool
                    || narrow <= wide && class != Class::Float && self.class(from) != Class::Float
            }
            _ => false,
        }
    }

    /// `&&` and `||` as control flow that ends in a one-bit temporary.
    fn short_circuit(&mut self, expr: &'m hir::Expr) -> Expr {
        let result = self.temporary(Width::BOOL);
        let (yes, no, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch_on(expr, yes, no);
        for (target, value) in [(yes, true), (no, false)] {
            self.open(target);
            self.push(Op::Set { var: result, value: Expr::truth(value) });
            self.goto(done);
        }
        self.open(done);
        Expr::Reg(result, Width::BOOL)
    }

    /// Control goes to `yes` or `no` by the truth of `expr`.
    pub(super) fn branch_on(&mut self, expr: &'m hir::Expr, yes: LocId, no: LocId) {
        match &expr.kind {
            ExprKind::Not(inner) => self.branch_on(inner, no, yes),
            ExprKind::LogAnd(left, right) if !self.is_harmless(right) => {
                let second = self.new_location();
                self.branch_on(left, second, no);
                self.open(second);
                self.branch_on(right, yes, no);
            }
            ExprKind::LogOr(left, right) if !self.is_harmless(right) => {
                let second = self.new_location();
                self.branch_on(left, yes, second);
                self.open(second);
                self.branch_on(right, yes, no);
            }
            ExprKind::Convert(inner) if self.keeps_truth(inner.ty, expr.ty) => self.branch_on(inner, yes, no),
            _ => {
                let cond = self.cond(expr);
                self.span = expr.span;
                self.branch(cond, yes, no);
            }
        }
    }

    fn conditional(&mut self, cond: &'m hir::Expr, yes: &'m hir::Expr, no: &'m hir::Expr, ty: Ty) -> Expr {
        let width = self.ctx.width(ty);
        if let Some(width) = width
            && self.is_harmless(yes)
            && self.is_harmless(no)
        {
            let cond = self.cond(cond);
            let (yes, no) = (self.rvalue(yes), self.rvalue(no));
            let (yes, no) = (scalar::resize(yes, false, width), scalar::resize(no, false, width));
            return Expr::ite(cond, yes, no);
        }
        let result = width.map(|w| (self.temporary(w), w));
        let (on_yes, on_no, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch_on(cond, on_yes, on_no);
        for (target, side) in [(on_yes, yes), (on_no, no)] {
            self.open(target);
            match result {
                Some((var, width)) => {
                    let value = self.rvalue(side);
                    let value = scalar::resize(value, false, width);
                    self.push(Op::Set { var, value });
                }
                None => self.effects(side),
            }
            self.goto(done);
        }
        self.open(done);
        result.map_or(Expr::constant(0, Width::INT), |(var, width)| Expr::Reg(var, width))
    }

    /// Returns true if evaluating `expr` where C does not evaluate it is unobservable and always has a value: constants, registers, memory that
    /// only this function can reach, and total operations on them. A local that other threads may reach is read only by a branch: the read
    /// could be a data race that C does not have. The size is bounded, so that this query is cheap.
    fn is_harmless(&self, expr: &hir::Expr) -> bool {
        self.harmless(expr, &mut 24)
    }

    fn harmless(&self, expr: &hir::Expr, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::LabelAddr(_) => true,
            ExprKind::Load(lvalue) => match &lvalue.kind {
                ExprKind::Var(VarRef::Local(local)) => match self.locals[*local] {
                    // Reading what was never set is undefined where C does it.
                    LocalPlace::Register(..) => !self.ctx.checks.undefined || !self.unset.contains(local),
                    LocalPlace::Memory(var) => self.is_private(&self.local_addr(var)),
                    LocalPlace::Constant(_) => true,
                    LocalPlace::ByReference(_) | LocalPlace::Missing => false,
                },
                _ => false,
            },
            ExprKind::AddrOf(lvalue) => {
                matches!(lvalue.kind, ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::Function(_))
            }
            ExprKind::Convert(e) | ExprKind::BitNot(e) | ExprKind::Not(e) => self.harmless(e, left),
            ExprKind::Binary(op, l, r) => {
                let is_pair =
                    |truth: super::arithmetic::Comparison| self.is_checked_order(l.ty, truth.unsigned);
                let is_total = comparison(*op).is_some_and(|truth| !is_pair(truth))
                    || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
                is_total && self.harmless(l, left) && self.harmless(r, left)
            }
            ExprKind::LogAnd(l, r) | ExprKind::LogOr(l, r) => {
                self.harmless(l, left) && self.harmless(r, left)
            }
            ExprKind::Cond(c, y, n) => {
                self.harmless(c, left) && self.harmless(y, left) && self.harmless(n, left)
            }
            _ => false,
        }
    }

    // ---- effects --------------------------------------------------------------------------------------------

    /// Evaluates an expression whose value is not used.
    pub(super) fn effects(&mut self, expr: &'m hir::Expr) {
        self.span = expr.span;
        match &expr.kind {
            ExprKind::Convert(inner)
            | ExprKind::Neg(inner)
            | ExprKind::BitNot(inner)
            | ExprKind::Not(inner)
            | ExprKind::AddrOf(inner) => self.effects(inner),
            ExprKind::Comma(first, second) => {
                self.effects(first);
                self.effects(second);
            }
            ExprKind::Cond(cond, yes, no) if !self.is_harmless(yes) || !self.is_harmless(no) => {
                let (on_yes, on_no, done) = (self.new_location(), self.new_location(), self.new_location());
                self.branch_on(cond, on_yes, on_no);
                self.open(on_yes);
                self.effects(yes);
                self.goto(done);
                self.open(on_no);
                self.effects(no);
                self.goto(done);
                self.open(done);
            }
            ExprKind::StmtExpr(stmts, value) => {
                self.stmts(stmts);
                if let Some(value) = value {
                    self.effects(value);
                }
            }
            ExprKind::Call { callee, args } => {
                self.call(expr, callee, args, false);
            }
            ExprKind::Unsupported(what) => self.unsupported(what.clone()),
            ExprKind::Load(lvalue) if self.ctx.is_record(expr.ty) => {
                let place = self.place(lvalue);
                self.discarded_record(&place, self.ctx.module.types.size_of(expr.ty));
            }
            ExprKind::Assign(..) | ExprKind::AssignOp(_) => {
                self.rvalue(expr);
            }
            ExprKind::Var(_)
            | ExprKind::Str(_)
            | ExprKind::Function(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_) => {}
            ExprKind::Deref(pointer) => self.effects(pointer),
            ExprKind::Member { base, .. } => self.effects(base),
            _ if self.ctx.is_record(expr.ty) => {
                self.record(expr);
            }
            _ => {
                self.rvalue(expr);
            }
        }
    }
}

/// What a bit-field holds after `value` was stored into it, as wide as `value`.
fn cut_to_field(value: Expr, field: hir::BitField) -> Expr {
    let width = value.width();
    let cut = scalar::resize(value, false, Width(low8(field.width)));
    scalar::resize(cut, field.signed, width)
}
