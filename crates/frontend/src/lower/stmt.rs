//! Statements, declarations and initialisers.

use super::function::{Builder, Enclosing, LocalPlace, Place};
use super::scalar;
use crate::hir::{self, ExprKind, Init, LabelId, LocalId, Stmt};
use crate::types::Type;
use base::Span;
use program::{Action, BinOp, Expr, LocId, Op, Order, Property, Storage, Undefined, UndefinedKind, Width};

/// A case of a `switch`: its first value, its last value, and where it is.
type Case = (u128, u128, LocId);

/// A `switch` with more cases is searched by halves.
const MAX_CHAIN: usize = 64;

impl<'m> Builder<'_, 'm> {
    /// Lowers statements in order.
    pub(super) fn stmts(&mut self, stmts: &'m [Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    /// Lowers a statement; nothing is pending afterwards.
    pub(super) fn stmt(&mut self, stmt: &'m Stmt) {
        match stmt {
            Stmt::Expr(expr) => self.effects(expr),
            Stmt::Block(stmts) => self.block(stmts),
            Stmt::Decl { local, init, span } => self.declaration(*local, init.as_ref(), *span),
            Stmt::DeclVla { local, size, span } => self.variable_length(*local, size, *span),
            Stmt::If { cond, yes, no } => self.if_stmt(cond, yes, no.as_deref()),
            Stmt::While { cond, body } => self.while_stmt(cond, body),
            Stmt::DoWhile { body, cond } => self.do_while(body, cond),
            Stmt::For { init, cond, step, body, span } => {
                self.for_stmt(init.as_deref(), cond.as_ref(), step.as_ref(), body, *span);
            }
            Stmt::Switch { value, body } => self.switch(value, body),
            Stmt::Case { first, last } => self.case(*first, *last),
            Stmt::Default => self.default(),
            Stmt::Label(label) => {
                let target = self.label(*label);
                self.join(target);
            }
            Stmt::Goto(label, span) => {
                self.span = *span;
                self.clean_up_before_jump(*label);
                // No block with ends has a label.
                self.leave_blocks(0);
                let target = self.label(*label);
                self.goto(target);
            }
            Stmt::GotoComputed(value) => self.computed_goto(value),
            Stmt::Break(span) => self.leave(*span, |e| Some((e.break_to, e.n_cleanups, e.n_scoped))),
            Stmt::Continue(span) => {
                self.leave(*span, |e| Some((e.continue_to?, e.n_cleanups, e.n_scoped)));
            }
            Stmt::Return(value, span) => self.return_stmt(value.as_ref(), *span),
            Stmt::Fence(barrier, span) => {
                self.span = *span;
                match barrier {
                    Some(barrier) => self.fence(*barrier),
                    None if self.ctx.checks.memory_model.is_weak() => {
                        self.unsupported("a barrier of this kind under a weak memory model");
                    }
                    None => {}
                }
            }
            Stmt::Cleanup(call) => self.cleanups.push(call),
            Stmt::Error(message, span) => {
                self.span = *span;
                self.end(Action::Error { property: Property::UnreachCall, message: message.clone() });
            }
            Stmt::Unsupported(what, span) => {
                self.span = *span;
                self.unsupported(what.clone());
            }
        }
        self.flush();
    }

    fn block(&mut self, stmts: &'m [Stmt]) {
        let (outside, n_scoped) = (self.cleanups.len(), self.scoped.len());
        self.enter_block(stmts);
        self.stmts(stmts);
        self.clean_up_to(outside);
        self.cleanups.truncate(outside);
        self.leave_blocks(n_scoped);
        self.scoped.truncate(n_scoped);
    }

    /// Makes the calls that leaving all scopes but the first `outside` ones asks for, the innermost first.
    fn clean_up_to(&mut self, outside: usize) {
        for n in (outside..self.cleanups.len()).rev() {
            self.effects(self.cleanups[n]);
            self.flush();
        }
    }

    /// Makes the calls for the scopes that a jump to this label leaves.
    fn clean_up_before_jump(&mut self, label: LabelId) {
        if self.cleanups.is_empty() {
            return;
        }
        let Some(there) = super::cleanup::cleanups_at(&self.body.stmts, label) else {
            return self
                .unsupported("a jump to a label in a statement expression out of the scope of a cleanup");
        };
        let same = self
            .cleanups
            .iter()
            .zip(&there)
            .take_while(|(here, there)| std::ptr::eq(**here, **there))
            .count();
        self.clean_up_to(same);
    }

    fn declaration(&mut self, local: LocalId, init: Option<&'m Init>, span: Span) {
        self.span = span;
        if let Some(init) = init {
            return self.initialise(local, init);
        }
        self.unset.insert(local);
        // A frame starts indeterminate; only a declaration that can be reached again needs saying so.
        if (!self.enclosing.is_empty() || !self.body.labels.is_empty())
            && let LocalPlace::Register(var, _) | LocalPlace::Memory(var) = self.locals[local]
        {
            self.push_private(Op::Forget { var, alive: true });
        }
        if let LocalPlace::Memory(var) = self.locals[local] {
            self.begin_locks(var, self.body.locals[local].ty);
        }
    }

    /// Gives a local its initial value. No other thread can have its address yet, so this needs no steps of its own
    /// beyond those that evaluating the values takes.
    pub(super) fn initialise(&mut self, local: LocalId, init: &'m Init) {
        let place = self.locals[local];
        let var = match place {
            LocalPlace::Register(var, width) => {
                let Some(item) = init.items.last() else {
                    return self.push(Op::Set { var, value: Expr::constant(0, width) });
                };
                let value = self.rvalue(&item.value);
                return self.push(Op::Set { var, value: scalar::resize(value, false, width) });
            }
            LocalPlace::Memory(var) => var,
            LocalPlace::Constant(_) => return,
            LocalPlace::ByReference(_) | LocalPlace::Missing => {
                return self.unsupported("initialiser of a variable without a model");
            }
        };
        let base = self.local_addr(var);
        let size = self.ctx.module.types.size_of(self.body.locals[local].ty).unwrap_or(0);
        if init.zero_fill {
            let len = self.word(size);
            self.push_private(Op::Fill { dst: base.clone(), byte: Expr::constant(0, Width::BYTE), len });
        }
        self.note_order(init.items.iter().map(|item| &item.value));
        for item in &init.items {
            let addr = self.offset(base.clone(), item.offset);
            self.initialise_part(addr, item);
        }
    }

    fn initialise_part(&mut self, addr: Expr, item: &'m hir::InitItem) {
        self.span = item.value.span;
        if self.ctx.is_record(item.value.ty) {
            let source = match &item.value.kind {
                ExprKind::Str(_) => self.address(&item.value),
                _ => self.record(&item.value),
            };
            let size = self.ctx.module.types.size_of(item.value.ty).unwrap_or(0);
            return self.copy_into_private(addr, source, size, item.value.ty);
        }
        let value = self.rvalue(&item.value);
        let place = match item.bits {
            Some(field) => Place::Bits { addr, field },
            None => Place::Memory { addr, order: Order::Plain },
        };
        match place {
            Place::Memory { addr, order } => {
                let value = self.bounded(value);
                self.push_private(Op::Store { addr, value, order });
            }
            bits => self.store(&bits, value),
        }
    }

    fn variable_length(&mut self, local: LocalId, size: &'m hir::Expr, span: Span) {
        self.span = span;
        let is_outermost =
            |stmt: &Stmt| matches!(stmt, Stmt::DeclVla { local: declared, .. } if *declared == local);
        if self.ctx.checks.validity && !self.declared.library && !self.body.stmts.iter().any(is_outermost) {
            let name = &self.body.locals[local].name;
            self.ctx.assume(
                span,
                format!("`{name}`, whose length varies, is not used after its block has ended"),
            );
        }
        let size = self.rvalue(size);
        let size = if self.ctx.checks.undefined { self.repeatable(size) } else { size };
        if self.ctx.checks.undefined && !self.declared.library {
            let some = Expr::binary(BinOp::SLt, self.word(0), size.clone());
            let what = "an array whose length is not positive";
            self.undefined_unless(some, UndefinedKind::ArrayLength, what);
        }
        let declared = &self.body.locals[local];
        let types = &self.ctx.module.types;
        let array = match types.get(declared.ty) {
            Type::Pointer(array) => *array,
            _ => declared.ty,
        };
        let align = types.align_of(array).unwrap_or(1).max(declared.align);
        match self.locals[local] {
            LocalPlace::Register(var, _) => {
                self.push(Op::Alloc { var, size, align, storage: Storage::Frame })
            }
            LocalPlace::Memory(memory) => {
                let width = self.ctx.model.pointer();
                let var = self.temporary(width);
                self.push(Op::Alloc { var, size, align, storage: Storage::Frame });
                let addr = self.local_addr(memory);
                self.push_private(Op::Store { addr, value: Expr::Reg(var, width), order: Order::Plain });
            }
            LocalPlace::ByReference(_) | LocalPlace::Constant(_) | LocalPlace::Missing => {
                self.unsupported("array of variable length")
            }
        }
    }

    fn if_stmt(&mut self, cond: &'m hir::Expr, yes: &'m Stmt, no: Option<&'m Stmt>) {
        let (on_yes, done) = (self.new_location(), self.new_location());
        let on_no = if no.is_some() { self.new_location() } else { done };
        self.branch_on(cond, on_yes, on_no);
        self.open(on_yes);
        self.stmt(yes);
        self.goto(done);
        if let Some(no) = no {
            self.open(on_no);
            self.stmt(no);
            self.goto(done);
        }
        self.open(done);
    }

    fn loop_body(&mut self, body: &'m Stmt, break_to: LocId, continue_to: LocId) {
        self.enclosing.push(Enclosing {
            break_to,
            continue_to: Some(continue_to),
            n_cleanups: self.cleanups.len(),
            n_scoped: self.scoped.len(),
            cases: None,
            default: None,
        });
        self.stmt(body);
        self.enclosing.pop();
    }

    fn while_stmt(&mut self, cond: &'m hir::Expr, body: &'m Stmt) {
        let (head, inside, done) = (self.new_location(), self.new_location(), self.new_location());
        self.join(head);
        self.branch_on(cond, inside, done);
        self.open(inside);
        self.loop_body(body, done, head);
        self.goto(head);
        self.open(done);
    }

    fn do_while(&mut self, body: &'m Stmt, cond: &'m hir::Expr) {
        let (head, test, done) = (self.new_location(), self.new_location(), self.new_location());
        self.join(head);
        self.loop_body(body, done, test);
        self.join(test);
        self.branch_on(cond, head, done);
        self.open(done);
    }

    fn for_stmt(
        &mut self,
        init: Option<&'m Stmt>,
        cond: Option<&'m hir::Expr>,
        step: Option<&'m hir::Expr>,
        body: &'m Stmt,
        span: Span,
    ) {
        let n_scoped = self.scoped.len();
        if let Some(init) = init {
            self.enter_for(init, body);
        }
        match init {
            // Several declarations, whose scope is the loop.
            Some(Stmt::Block(declarations)) => self.stmts(declarations),
            Some(init) => self.stmt(init),
            None => {}
        }
        self.span = span;
        let (head, inside, next, done) =
            (self.new_location(), self.new_location(), self.new_location(), self.new_location());
        self.join(head);
        match cond {
            Some(cond) => self.branch_on(cond, inside, done),
            None => self.goto(inside),
        }
        self.open(inside);
        self.loop_body(body, done, next);
        self.join(next);
        if let Some(step) = step {
            self.effects(step);
        }
        self.span = span;
        self.goto(head);
        self.open(done);
        self.leave_blocks(n_scoped);
        self.scoped.truncate(n_scoped);
    }

    fn switch(&mut self, value: &'m hir::Expr, body: &'m Stmt) {
        let signed = self.class(value.ty) == scalar::Class::Signed;
        let value = self.rvalue(value);
        let value = self.repeatable(value);
        let span = self.span;
        let (dispatch, dead, done) = (self.new_location(), self.new_location(), self.new_location());
        let n_scoped = self.scoped.len();
        self.enter_switch(body);
        self.goto(dispatch);
        self.open(dead);
        self.enclosing.push(Enclosing {
            break_to: done,
            continue_to: None,
            n_cleanups: self.cleanups.len(),
            n_scoped: self.scoped.len(),
            cases: Some(Vec::new()),
            default: None,
        });
        self.stmt(body);
        let switch = self.enclosing.pop().expect("a switch should still be open");
        self.goto(done);
        self.open(dispatch);
        self.span = span;
        let cases = switch.cases.unwrap_or_default();
        let otherwise = switch.default.unwrap_or(done);
        if cases.len() <= MAX_CHAIN {
            self.dispatch_in_order(&value, &cases, signed, otherwise);
        } else {
            let sorted = sorted_cases(cases, value.width(), signed);
            self.dispatch_by_halves(&value, &sorted, signed, otherwise);
        }
        self.open(done);
        self.leave_blocks(n_scoped);
        self.scoped.truncate(n_scoped);
    }

    /// Tests one case after the other.
    fn dispatch_in_order(&mut self, value: &Expr, cases: &[Case], signed: bool, otherwise: LocId) {
        for &(first, last, target) in cases {
            let hit = in_range(value, first, last, signed);
            let next = self.new_location();
            self.branch(hit, target, next);
            self.open(next);
        }
        self.goto(otherwise);
    }

    /// The same for many cases, which are sorted: first finds out on which side of the one in the middle the value is.
    fn dispatch_by_halves(&mut self, value: &Expr, cases: &[Case], signed: bool, otherwise: LocId) {
        if cases.len() <= MAX_CHAIN {
            return self.dispatch_in_order(value, cases, signed, otherwise);
        }
        let (below, above) = cases.split_at(cases.len() / 2);
        let less = if signed { BinOp::SLt } else { BinOp::ULt };
        let is_below = Expr::binary(less, value.clone(), Expr::constant(above[0].0, value.width()));
        let (on_below, on_above) = (self.new_location(), self.new_location());
        self.branch(is_below, on_below, on_above);
        for (location, half) in [(on_below, below), (on_above, above)] {
            self.open(location);
            self.dispatch_by_halves(value, half, signed, otherwise);
        }
    }

    fn case(&mut self, first: u128, last: u128) {
        let here = self.new_location();
        self.join(here);
        if let Some(cases) = self.enclosing.iter_mut().rev().find_map(|e| e.cases.as_mut()) {
            cases.push((first, last, here));
        }
    }

    fn default(&mut self) {
        let here = self.new_location();
        self.join(here);
        if let Some(switch) = self.enclosing.iter_mut().rev().find(|e| e.cases.is_some()) {
            switch.default = Some(here);
        }
    }

    fn computed_goto(&mut self, value: &'m hir::Expr) {
        if !self.cleanups.is_empty() {
            return self.unsupported("a computed goto in the scope of a cleanup");
        }
        let value = self.rvalue(value);
        let value = self.repeatable(value);
        for (n, &label) in self.body.address_labels.iter().enumerate() {
            let hit = Expr::binary(BinOp::Eq, value.clone(), Expr::constant(n as u128 + 1, value.width()));
            let (target, next) = (self.label(label), self.new_location());
            self.branch(hit, target, next);
            self.open(next);
        }
        let what = "computed goto to something that is no label";
        self.end(Action::Undefined(Undefined::new(UndefinedKind::InvalidCall, what)));
    }

    fn leave(&mut self, span: Span, target: impl Fn(&Enclosing) -> Option<(LocId, usize, usize)>) {
        self.span = span;
        match self.enclosing.iter().rev().find_map(target) {
            Some((target, n_cleanups, n_scoped)) => {
                self.clean_up_to(n_cleanups);
                self.leave_blocks(n_scoped);
                self.goto(target);
            }
            None => self.unsupported("break or continue outside of a loop"),
        }
    }

    fn return_stmt(&mut self, value: Option<&'m hir::Expr>, span: Span) {
        let Some(value) = value else {
            self.span = span;
            self.clean_up_to(0);
            return self.return_value(None, true);
        };
        if let Some(pointer) = self.result_pointer {
            let source = self.record(value);
            let size = self.ctx.module.types.size_of(value.ty).unwrap_or(0);
            let target = Expr::Reg(pointer, self.ctx.model.pointer());
            self.copy_into_private(target, source, size, value.ty);
            self.span = span;
            self.clean_up_to(0);
            return self.return_value(None, true);
        }
        match self.result_width() {
            Some(width) => {
                let result = self.rvalue(value);
                let mut result = scalar::resize(result, false, width);
                self.span = span;
                if !self.cleanups.is_empty() {
                    result = self.in_temporary(result);
                    self.clean_up_to(0);
                }
                self.return_value(Some(result), true);
            }
            None => {
                self.effects(value);
                self.span = span;
                self.clean_up_to(0);
                self.return_value(None, true);
            }
        }
    }
}

/// Cases in ascending order, without those that no value fits. No two have a value in common.
fn sorted_cases(mut cases: Vec<Case>, width: Width, signed: bool) -> Vec<Case> {
    // With the sign bit flipped, signed numbers are ordered as unsigned ones.
    let key = |bits: u128| if signed { bits ^ (1 << (width.bits() - 1)) } else { bits };
    cases.retain(|&(first, last, _)| key(first) <= key(last));
    cases.sort_by_key(|&(first, ..)| key(first));
    cases
}

/// The condition that `first <= value <= last`.
fn in_range(value: &Expr, first: u128, last: u128, signed: bool) -> Expr {
    let width = value.width();
    let (first, last) = (Expr::constant(first, width), Expr::constant(last, width));
    if first == last {
        return Expr::binary(BinOp::Eq, value.clone(), first);
    }
    let at_most = if signed { BinOp::SLe } else { BinOp::ULe };
    Expr::binary(
        BinOp::And,
        Expr::binary(at_most, first, value.clone()),
        Expr::binary(at_most, value.clone(), last),
    )
}
