//! Nested functions that use variables of the functions around them.
//!
//! | how it is called | how the addresses of the variables arrive |
//! |---|---|
//! | by its name | as further arguments, behind all others |
//! | through a pointer | in hidden objects, the *links*, of which the function that the pointer really points to makes these arguments |
//!
//! A pointer to a nested function cannot tell which activation of the function around it it belongs to. So a link is set where such a pointer
//! is made, and cleared when the function around returns; each thread has its own, except that those of `main` are shared, which has one activation only.
//! If a second activation would set a link while the first one is still running, or a thread finds none, that has no model. So an
//! access never goes to the wrong activation.

use super::Lowering;
use super::function::{Builder, LocalPlace};
use super::thunks::thunk;
use crate::hir::{Body, Capture, FunctionId, Local, LocalId, Module};
use program::{BinOp, Expr, FuncId, Op, Order};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of nested functions.
#[derive(Default)]
pub(super) struct Closures {
    /// Variables that functions nested in theirs use.
    captured: FxHashSet<(FunctionId, LocalId)>,
    /// What pointers to nested functions point to, and which of these are still to be made.
    made: FxHashMap<FunctionId, FuncId>,
    pub(super) missing: Vec<FunctionId>,
}

impl Closures {
    pub(super) fn find(module: &Module) -> Self {
        let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
        let captured = bodies.flat_map(|body| &body.captures).map(|c| (c.owner, c.outer)).collect();
        Self { captured, ..Self::default() }
    }

    pub(super) fn is_captured(&self, owner: FunctionId, local: LocalId) -> bool {
        self.captured.contains(&(owner, local))
    }
}

/// For each nested function that uses outer variables, what a pointer to it points to.
pub(super) fn closure_bodies(module: &Module) -> impl Iterator<Item = (FunctionId, Body)> {
    module.functions.iter_enumerated().filter_map(|(id, function)| {
        let captures = &function.body.as_ref().filter(|body| !body.captures.is_empty())?.captures;
        let mut closure = thunk(module, id)?;
        let locals = &function.body.as_ref()?.locals;
        closure.captures = captures
            .iter()
            .map(|capture| {
                let of = &locals[capture.local];
                let (name, ty, span) = (of.name.clone(), of.ty, of.span);
                let local = closure.locals.push(Local { name, ty, align: 0, address_taken: false, span });
                Capture { local, ..*capture }
            })
            .collect();
        Some((id, closure))
    })
}

impl Lowering<'_> {
    fn captures(&self, id: FunctionId) -> &[Capture] {
        self.module.functions[id].body.as_ref().map_or(&[], |body| body.captures.as_slice())
    }

    /// What a pointer to a nested function points to.
    pub(super) fn closure(&mut self, id: FunctionId) -> FuncId {
        if let Some(&func) = self.closures.made.get(&id) {
            return func;
        }
        let declared = &self.module.functions[id];
        let mut name = format!("{}.closure", declared.name);
        while self.functions.iter().any(|function| function.name == name) {
            name.push_str(".1");
        }
        let mut function = super::empty_function(name, declared.span);
        let what = format!("call of `{}`, a nested function, through a pointer", declared.name);
        function.locations[function.entry].action = program::Action::Unsupported(what);
        let func = self.functions.push(function);
        self.closures.made.insert(id, func);
        self.closures.missing.push(id);
        func
    }

    /// The object through which the address of a variable reaches a nested function.
    fn link(&mut self, owner: FunctionId, outer: LocalId) -> Expr {
        let (size, thread_local) = (self.model.pointer().bytes(), owner != self.module.entry);
        let object = self.hidden_object(&link_name(owner, outer), size, thread_local);
        Expr::ObjectAddr(object, self.model.pointer())
    }
}

fn link_name(owner: FunctionId, outer: LocalId) -> String {
    format!("link.{}.{}", owner.0, outer.0)
}

impl Builder<'_, '_> {
    /// Whether this is what a pointer to a nested function points to.
    fn is_closure(&self) -> bool {
        !self.declared.body.as_ref().is_some_and(|body| std::ptr::eq(body, self.body))
    }

    /// The addresses of outer variables arrive, as arguments or in links.
    pub(super) fn receive_captures(&mut self) {
        let word = self.ctx.model.pointer();
        for &Capture { owner, outer, local } in &self.body.captures {
            let LocalPlace::Register(var, _) = self.locals[local] else { continue };
            if !self.is_closure() {
                self.params.push(var);
                continue;
            }
            let link = self.ctx.link(owner, outer);
            let value = self.load_memory(link, word, Order::SeqCst);
            self.push(Op::Set { var, value });
            let none = Expr::binary(BinOp::Eq, Expr::Reg(var, word), self.word(0));
            self.refuse_if(
                none,
                "a call of a nested function in another thread than that of the function around it",
            );
        }
    }

    /// The addresses that a nested function is called with.
    pub(super) fn capture_arguments(&mut self, callee: FunctionId) -> Vec<Expr> {
        let captures = self.ctx.captures(callee).to_vec();
        captures.into_iter().map(|capture| self.captured_address(capture)).collect()
    }

    fn captured_address(&mut self, capture: Capture) -> Expr {
        let word = self.ctx.model.pointer();
        let own = self.body.captures.iter();
        let mut own = own.filter(|own| own.owner == capture.owner && own.outer == capture.outer);
        let local = match own.next() {
            Some(own) => own.local,
            None => {
                assert_eq!(
                    self.id, capture.owner,
                    "who mentions a nested function should capture what it does"
                );
                capture.outer
            }
        };
        match self.locals[local] {
            LocalPlace::Register(var, _) | LocalPlace::ByReference(var) => Expr::Reg(var, word),
            LocalPlace::Memory(var) => self.local_addr(var),
            LocalPlace::Constant(object) => Expr::ObjectAddr(object, word),
            LocalPlace::Missing => self.no_value("variable of an incomplete type"),
        }
    }

    /// Prepares for calls of a nested function through a pointer; `None` if the function captures nothing.
    pub(super) fn closure_address(&mut self, id: FunctionId) -> Option<Expr> {
        let captures = self.ctx.captures(id).to_vec();
        if captures.is_empty() {
            return None;
        }
        let word = self.ctx.model.pointer();
        for capture in captures {
            let address = self.captured_address(capture);
            let link = self.ctx.link(capture.owner, capture.outer);
            let old = self.load_memory(link.clone(), word, Order::SeqCst);
            let old = self.in_temporary(old);
            let (unset, done) = (self.new_location(), self.new_location());
            let is_unset = Expr::binary(BinOp::Eq, old.clone(), self.word(0));
            let other = Expr::binary(BinOp::Eq, old, address.clone()).negated();
            let other = super::sync::and(is_unset.clone().negated(), other);
            self.refuse_if(
                other,
                "a pointer to a nested function in several activations of the function around it",
            );
            self.branch(is_unset, unset, done);
            self.open(unset);
            self.push(Op::Store { addr: link, value: address, order: Order::SeqCst });
            self.goto(done);
            self.open(done);
        }
        Some(Expr::FuncAddr(self.ctx.closure(id), word))
    }

    /// The function around returns: pointers to nested functions have no meaning any more.
    pub(super) fn clear_links(&mut self) {
        if self.id == self.ctx.module.entry || self.is_closure() {
            return;
        }
        for (local, _) in self.body.locals.iter_enumerated() {
            let is_linked = self.ctx.closures.is_captured(self.id, local)
                && self.ctx.hidden.contains_key(&link_name(self.id, local));
            if is_linked {
                let (addr, value) = (self.ctx.link(self.id, local), self.word(0));
                self.push(Op::Store { addr, value, order: Order::SeqCst });
            }
        }
        self.flush();
    }

    fn refuse_if(&mut self, cond: Expr, what: &str) {
        let (refused, fine) = (self.new_location(), self.new_location());
        self.branch(cond, refused, fine);
        self.open(refused);
        self.unsupported(what);
        self.open(fine);
    }
}
