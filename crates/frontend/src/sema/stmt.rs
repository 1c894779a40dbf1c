//! Statements and function bodies.

use super::Sema;
use super::convert::is_unsupported;
use super::scope::{ScopeMap, Symbol};
use crate::ast::{self, At, Derivation, FunctionDef, StmtKind};
use crate::hir::{Body, Capture, FunctionId, LabelId, Local, LocalId, Stmt};
use crate::types::{Ty, Type};
use base::{Idx, IdxVec};

/// A function body while it is typed.
pub(super) struct BodyBuilder<'a> {
    pub(super) name: &'a str,
    pub(super) function: FunctionId,
    /// How many scopes are around its parameters: a local that was declared outside of them is that of a function around this one.
    pub(super) depth: usize,
    /// True if it declares a type of variable size.
    pub(super) has_variable_sizes: bool,
    pub(super) locals: IdxVec<LocalId, Local>,
    pub(super) address_labels: Vec<LabelId>,
    pub(super) captures: Vec<Capture>,
    labels: IdxVec<LabelId, LabelState<'a>>,
    /// What a label's name means here.
    label_names: ScopeMap<'a, LabelId>,
    n_blocks: u32,
    ret: Ty,
    switches: Vec<SwitchFrame>,
    /// How many loops, and how many loops or switches, are around.
    n_loops: u32,
    n_breakable: u32,
}

struct LabelState<'a> {
    name: &'a str,
    used_at: At,
    /// The number of the block that was found to define it, or 0.
    claimed_by: u32,
    is_defined: bool,
}

/// A `switch` around the current statement.
struct SwitchFrame {
    ty: Ty,
    /// The cases so far, as values of the type, and where they stand.
    cases: Vec<(i128, i128, At)>,
    has_default: bool,
}

impl<'a> Sema<'a> {
    /// Types a function's body; `ty` is the type of its definition.
    pub(super) fn function_body(
        &mut self,
        function: FunctionId,
        definition: &'a FunctionDef<'a>,
        ty: Ty,
    ) -> Body {
        let name = definition.declarator.name.unwrap_or_default();
        let Type::Function { ret, params, .. } = self.types.get(ty).clone() else {
            unreachable!("a function definition should have a function type");
        };
        self.body = Some(BodyBuilder {
            name,
            function,
            depth: self.scopes[self.unit].names.depth() + 1,
            has_variable_sizes: false,
            locals: IdxVec::new(),
            address_labels: Vec::new(),
            captures: Vec::new(),
            labels: IdxVec::new(),
            label_names: ScopeMap::default(),
            n_blocks: 0,
            ret: self.unatomic(ret),
            switches: Vec::new(),
            n_loops: 0,
            n_breakable: 0,
        });
        self.scopes[self.unit].push();
        let mut stmts = Vec::with_capacity(definition.body.len());
        let params = self.declare_parameters(definition, &params, &mut stmts);
        self.claim_labels(&definition.body);
        for stmt in &definition.body {
            self.stmt(stmt, &mut stmts);
        }
        self.scopes[self.unit].pop();
        let stmts = scoped(stmts);
        let end = self.span(definition.end);
        let body = self.body.take().expect("the body being typed should be there until its end");
        let hint = if body.depth > 1 { " (a jump out of a nested function has no model)" } else { "" };
        for label in body.labels.iter().filter(|label| !label.is_defined) {
            self.error(label.used_at, format!("label '{}' is not defined{hint}", label.name));
        }
        let BodyBuilder { locals, labels, address_labels, captures, .. } = body;
        let labels = labels.iter().map(|label| label.name.to_owned()).collect();
        Body { locals, params, labels, address_labels, captures, stmts, end }
    }

    fn declare_parameters(
        &mut self,
        definition: &'a FunctionDef<'a>,
        types: &[Ty],
        out: &mut Vec<Stmt>,
    ) -> Vec<LocalId> {
        let Some(Derivation::Function(params)) = definition.declarator.derivations.first() else {
            return Vec::new();
        };
        let mut locals = Vec::with_capacity(types.len());
        for (n, &ty) in types.iter().enumerate() {
            let declared = params.params.get(n).and_then(|param| param.declarators.first());
            let (name, at) = match (declared, params.names.get(n)) {
                (Some(one), _) => (one.declarator.name.unwrap_or_default(), one.declarator.at),
                (None, Some(name)) => (*name, definition.declarator.at),
                (None, None) => ("", definition.declarator.at),
            };
            if self.types.size_of(ty).is_none() {
                self.error(at, format!("parameter '{name}' has an incomplete type"));
            }
            let span = self.span(at);
            let ty = match params.params.get(n) {
                Some(param) => {
                    let ty = self.parameter_in_body(param, ty, out);
                    self.constant_parameter(param, ty)
                }
                None => ty,
            };
            let local = self.new_local(name, ty, span);
            if !name.is_empty() {
                self.scopes[self.unit].names.insert(name, Symbol::Local { local, ty });
            }
            locals.push(local);
        }
        locals
    }

    /// Types a statement in place of which several may stand.
    pub(super) fn stmt(&mut self, stmt: &'a ast::Stmt<'a>, out: &mut Vec<Stmt>) {
        let at = stmt.at;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => {
                let value = self.value(expr);
                out.push(Stmt::Expr(value));
            }
            StmtKind::Block(stmts) => {
                let block = self.block(stmts);
                out.push(Stmt::Block(block));
            }
            StmtKind::Decl(declaration) => self.local_declaration(declaration, out),
            StmtKind::Function(nested) => self.nested_function(nested, out),
            StmtKind::If(condition, yes, no) => {
                let cond = self.condition(condition);
                let yes = Box::new(self.single(yes));
                let no = no.as_ref().map(|no| Box::new(self.single(no)));
                out.push(Stmt::If { cond, yes, no });
            }
            StmtKind::While(condition, body) => {
                let cond = self.condition(condition);
                let body = Box::new(self.loop_body(body));
                out.push(Stmt::While { cond, body });
            }
            StmtKind::DoWhile(body, condition) => {
                let body = Box::new(self.loop_body(body));
                let cond = self.condition(condition);
                out.push(Stmt::DoWhile { body, cond });
            }
            StmtKind::For(init, condition, step, body) => {
                let stmt = self.for_loop(init.as_deref(), condition.as_ref(), step.as_ref(), body, at);
                out.push(stmt);
            }
            StmtKind::Switch(value, body) => out.push(self.switch(value, body)),
            StmtKind::Label(name, inner) => {
                self.label(name, at, out);
                match name.starts_with("__CPROVER_ASYNC_") {
                    true => self.async_statement(inner, at, out),
                    false => self.stmt(inner, out),
                }
            }
            StmtKind::Case(first, last, inner) => {
                self.case(first, last.as_ref(), at, out);
                self.stmt(inner, out);
            }
            StmtKind::Default(inner) => {
                self.default(at, out);
                self.stmt(inner, out);
            }
            StmtKind::Goto(_) | StmtKind::GotoComputed(_) | StmtKind::Break | StmtKind::Continue => {
                self.jump(stmt, out);
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), at, out),
            StmtKind::Asm(asm) => self.assembly(asm, at, out),
            StmtKind::StaticAssert(condition) => self.static_assert(condition),
        }
    }

    /// Types a jump.
    fn jump(&mut self, stmt: &'a ast::Stmt<'a>, out: &mut Vec<Stmt>) {
        let (at, span) = (stmt.at, self.span(stmt.at));
        match &stmt.kind {
            StmtKind::Goto(name) => {
                let label = self.label_id(name, at);
                out.push(Stmt::Goto(label, span));
            }
            StmtKind::GotoComputed(target) => {
                let target = self.value(target);
                let target = self.convert(target, self.basic.void_ptr);
                out.push(Stmt::GotoComputed(target));
            }
            StmtKind::Break => {
                self.check_inside(at, |body| body.n_breakable > 0, "'break' stands outside a loop or switch");
                out.push(Stmt::Break(span));
            }
            StmtKind::Continue => {
                self.check_inside(at, |body| body.n_loops > 0, "'continue' stands outside a loop");
                out.push(Stmt::Continue(span));
            }
            other => unreachable!("{other:?} should be a jump"),
        }
    }

    /// Types a statement in a place that takes exactly one.
    fn single(&mut self, stmt: &'a ast::Stmt<'a>) -> Stmt {
        let mut out = Vec::with_capacity(1);
        self.stmt(stmt, &mut out);
        match out.len() {
            1 => out.swap_remove(0),
            _ => Stmt::Block(out),
        }
    }

    fn block(&mut self, stmts: &'a [ast::Stmt<'a>]) -> Vec<Stmt> {
        self.enter_block(stmts);
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        self.leave_block();
        out
    }

    /// Enters the scope of a block with these statements.
    pub(super) fn enter_block(&mut self, stmts: &'a [ast::Stmt<'a>]) {
        self.scopes[self.unit].push();
        if let Some(body) = &mut self.body {
            body.label_names.push();
        }
        self.claim_labels(stmts);
    }

    /// Leaves a block.
    pub(super) fn leave_block(&mut self) {
        self.scopes[self.unit].pop();
        if let Some(body) = &mut self.body {
            body.label_names.pop();
        }
    }

    /// Gives the labels that a block defines their ids. A name that another block has already is a label of its own here: only
    /// GNU's `__label__` allows that, and then no jump from outside leads to it.
    fn claim_labels(&mut self, stmts: &'a [ast::Stmt<'a>]) {
        let Some(body) = &mut self.body else { return };
        body.n_blocks += 1;
        let block = body.n_blocks;
        for stmt in stmts {
            let mut stmt = stmt;
            while let StmtKind::Label(name, inner) = &stmt.kind {
                self.claim_label(name, block, stmt.at);
                stmt = inner;
            }
        }
    }

    fn claim_label(&mut self, name: &'a str, block: u32, at: At) {
        let id = self.label_id(name, at);
        let Some(body) = &mut self.body else { return };
        let label = &mut body.labels[id];
        if label.claimed_by == 0 {
            label.claimed_by = block;
        } else if label.claimed_by != block {
            let own = LabelState { name, used_at: at, claimed_by: block, is_defined: false };
            let own = body.labels.push(own);
            body.label_names.insert(name, own);
        }
    }

    fn check_inside(&mut self, at: At, is_inside: impl FnOnce(&BodyBuilder<'a>) -> bool, message: &str) {
        if !self.body.as_ref().is_some_and(is_inside) {
            self.error(at, message);
        }
    }

    fn loop_body(&mut self, body: &'a ast::Stmt<'a>) -> Stmt {
        if let Some(function) = &mut self.body {
            function.n_loops += 1;
            function.n_breakable += 1;
        }
        let stmt = self.single(body);
        if let Some(function) = &mut self.body {
            function.n_loops -= 1;
            function.n_breakable -= 1;
        }
        stmt
    }

    fn for_loop(
        &mut self,
        init: Option<&'a ast::Stmt<'a>>,
        condition: Option<&'a ast::Expr<'a>>,
        step: Option<&'a ast::Expr<'a>>,
        body: &'a ast::Stmt<'a>,
        at: At,
    ) -> Stmt {
        self.scopes[self.unit].push();
        let mut before = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut before);
        }
        let cond = condition.map(|condition| self.condition(condition));
        let step = step.map(|step| self.value(step));
        let body = Box::new(self.loop_body(body));
        self.scopes[self.unit].pop();
        let span = self.span(at);
        if has_cleanup(&before) {
            before.push(Stmt::For { init: None, cond, step, body, span });
            return Stmt::Block(before);
        }
        let init = match before.len() {
            0 => None,
            1 => Some(Box::new(before.swap_remove(0))),
            _ => Some(Box::new(Stmt::Block(before))),
        };
        Stmt::For { init, cond, step, body, span }
    }

    fn switch(&mut self, value: &'a ast::Expr<'a>, body: &'a ast::Stmt<'a>) -> Stmt {
        let at = value.at;
        let value = self.value(value);
        let value = if self.is_integer(value.ty) || is_unsupported(&value) {
            self.promote(value)
        } else {
            self.wrong(at, "the value of a switch should be an integer")
        };
        let frame = SwitchFrame { ty: value.ty, cases: Vec::new(), has_default: false };
        if let Some(function) = &mut self.body {
            function.switches.push(frame);
            function.n_breakable += 1;
        }
        let body = Box::new(self.single(body));
        let frame = self.body.as_mut().and_then(|function| {
            function.n_breakable -= 1;
            function.switches.pop()
        });
        if let Some(frame) = frame {
            self.check_cases(frame.cases);
        }
        Stmt::Switch { value, body }
    }

    fn check_cases(&mut self, mut cases: Vec<(i128, i128, At)>) {
        cases.sort_unstable();
        for pair in cases.windows(2) {
            if pair[1].0 <= pair[0].1 {
                self.error(pair[0].2.max(pair[1].2), "duplicate case value");
            }
        }
    }

    fn case(
        &mut self,
        first: &'a ast::Expr<'a>,
        last: Option<&'a ast::Expr<'a>>,
        at: At,
        out: &mut Vec<Stmt>,
    ) {
        let (low, high) = (self.constant_integer(first), last.map(|last| self.constant_integer(last)));
        let (Some(low), Some(high)) = (low, high.unwrap_or(low)) else {
            return self.error(first.at, "a case should be an integer constant");
        };
        let frame = self.body.as_ref().and_then(|body| body.switches.last());
        let Some(shape) = frame.and_then(|frame| self.shape(frame.ty)) else {
            return self.error(at, "a case stands outside a switch");
        };
        let (first, last) = (shape.truncate(low.cast_unsigned()), shape.truncate(high.cast_unsigned()));
        let (low, high) = (shape.extend(first), shape.extend(last));
        if low > high {
            return self.warn(at, "this range of cases is empty");
        }
        if let Some(frame) = self.body.as_mut().and_then(|body| body.switches.last_mut()) {
            frame.cases.push((low, high, at));
        }
        out.push(Stmt::Case { first, last });
    }

    fn default(&mut self, at: At, out: &mut Vec<Stmt>) {
        match self.body.as_mut().and_then(|body| body.switches.last_mut()) {
            None => self.error(at, "'default' stands outside a switch"),
            Some(frame) if frame.has_default => self.error(at, "this switch has two defaults"),
            Some(frame) => {
                frame.has_default = true;
                out.push(Stmt::Default);
            }
        }
    }

    /// The id of a label that is jumped to or defined.
    pub(super) fn label_id(&mut self, name: &'a str, at: At) -> LabelId {
        let Some(body) = &mut self.body else { return LabelId::new(super::NO_ID as usize) };
        if let Some(id) = body.label_names.get(name) {
            return id;
        }
        let id = body.labels.push(LabelState { name, used_at: at, claimed_by: 0, is_defined: false });
        body.label_names.insert_outermost(name, id);
        id
    }

    /// A label that the program does not name.
    pub(super) fn anonymous_label(&mut self) -> Option<LabelId> {
        let body = self.body.as_mut()?;
        Some(body.labels.push(LabelState { name: "asm", used_at: 0, claimed_by: 0, is_defined: true }))
    }

    /// Defines a label here.
    pub(super) fn label(&mut self, name: &'a str, at: At, out: &mut Vec<Stmt>) {
        let id = self.label_id(name, at);
        let state = self.body.as_mut().map(|body| &mut body.labels[id]);
        if state.is_some_and(|state| std::mem::replace(&mut state.is_defined, true)) {
            self.error(at, format!("label '{name}' is defined twice"));
        }
        out.push(Stmt::Label(id));
        if self.errors.labels.iter().any(|error| error == name) {
            out.push(Stmt::Error(format!("label `{name}` is reached"), self.span(at)));
        }
    }

    fn return_stmt(&mut self, value: Option<&'a ast::Expr<'a>>, at: At, out: &mut Vec<Stmt>) {
        let span = self.span(at);
        let Some(value) = value else { return out.push(Stmt::Return(None, span)) };
        let ret = self.body.as_ref().map_or(self.basic.void, |body| body.ret);
        let position = value.at;
        let value = self.value(value);
        if self.is_void(ret) {
            out.push(Stmt::Expr(value));
            return out.push(Stmt::Return(None, span));
        }
        if self.is_void(value.ty) {
            self.warn(position, "a void value is returned");
            out.push(Stmt::Expr(value));
            return out.push(Stmt::Return(None, span));
        }
        let value = self.assign_convert(value, ret, position);
        out.push(Stmt::Return(Some(value), span));
    }

    /// A nested function is a function like any other, except that it may use variables of the functions around it ([`Capture`]).
    fn nested_function(&mut self, nested: &'a FunctionDef<'a>, out: &mut Vec<Stmt>) {
        let base = self.specifiers(&nested.specifiers, false, nested.at);
        let mut ty = self.declarator(&base, &nested.declarator).ty;
        if !nested.knr.is_empty() || !self.parameter_names(nested).is_empty() {
            ty = self.old_style_type(nested, ty);
        }
        let name = nested.declarator.name.unwrap_or_default();
        if let Some(Symbol::Function { .. }) = self.scopes[self.unit].names.get_here(name) {
            return self
                .error(nested.at, "a nested function that is declared before its definition has no model");
        }
        let function = self.new_function(name, ty, nested.at);
        let id = self.function_id(function);
        self.linkage.functions[function].definition = Some((self.unit, nested));
        self.scopes[self.unit].names.insert(name, Symbol::Function { function, ty, at: nested.at });
        if self.unevaluated > 0 {
            return;
        }
        if self.body.as_ref().is_some_and(|body| body.has_variable_sizes) {
            out.push(Stmt::Unsupported(
                "a nested function next to types of variable size".to_owned(),
                self.span(nested.at),
            ));
            return;
        }
        self.around.extend(self.body.take());
        let body = self.function_body(id, nested, ty);
        self.functions[id].body = Some(body);
        self.body = self.around.pop();
    }
}

/// Returns true if one of the statements asks for a call when their block is left.
pub(super) fn has_cleanup(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| matches!(stmt, Stmt::Cleanup(_)))
}

/// Statements as a block of their own, if leaving it means anything.
fn scoped(stmts: Vec<Stmt>) -> Vec<Stmt> {
    if has_cleanup(&stmts) { vec![Stmt::Block(stmts)] } else { stmts }
}
