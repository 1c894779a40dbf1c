//! Building one function's automaton: transactions, places, loads and stores.
//!
//! The builder always has an *open* location, `here`, that the next action fills. Operations gather in `pending` and
//! become one transaction when something ends it: a branch, a call, the end of the statement, or a second access to
//! memory that others may see.
//!
//! # Invariants
//! * `pending` holds at most one shared access (`pending_shared`), except for what [`Builder::transact`] emits.
//! * A location is filled once; `alias` says which locations turned out to be the same. [`Builder::run`] resolves it.
//! * Temporaries are set once.

use super::{Lowering, UniqueNames};
use crate::hir::{self, BitField, FunctionId, LabelId, LocalId};
use crate::types::Type;
use base::{Idx, IdxVec, Span};
use program::{
    Action, Barrier, BinOp, Expr, Function, LocId, Location, ObjectId, Op, Order, Sync, Undefined,
    UndefinedKind, Var, VarId, VarKind, Width,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a local lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalPlace {
    /// In a register.
    Register(VarId, Width),
    /// In a memory variable of the frame.
    Memory(VarId),
    /// In memory that the caller owns; the register has its address.
    ByReference(VarId),
    /// In a static object that is read-only, because it is constant.
    Constant(ObjectId),
    /// Nowhere: its type has no model, and using it is unsupported.
    Missing,
}

/// Something that can be read and written.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A register.
    Register(VarId, Width),
    /// Memory at an address.
    Memory {
        /// Where.
        addr: Expr,
        /// Whether the access is one C calls atomic.
        order: Order,
    },
    /// Some bits of a unit of memory.
    Bits {
        /// The unit's address.
        addr: Expr,
        /// Which bits.
        field: BitField,
    },
}

/// Targets of `break`, `continue` and `case` inside a loop or switch.
pub(super) struct Enclosing {
    pub(super) break_to: LocId,
    pub(super) continue_to: Option<LocId>,
    /// How many calls of the attribute `cleanup` are due outside of it.
    pub(super) n_cleanups: usize,
    /// How many variables live as long as a block outside of it.
    pub(super) n_scoped: usize,
    /// Cases of a `switch`, in order: first value, last value, where.
    pub(super) cases: Option<Vec<(u128, u128, LocId)>>,
    pub(super) default: Option<LocId>,
}

/// The function being built.
pub(super) struct Builder<'l, 'm> {
    pub(super) ctx: &'l mut Lowering<'m>,
    pub(super) id: FunctionId,
    pub(super) declared: &'m hir::Function,
    pub(super) body: &'m hir::Body,
    names: UniqueNames,
    pub(super) vars: IdxVec<VarId, Var>,
    pub(super) params: Vec<VarId>,
    pub(super) locals: IdxVec<LocalId, LocalPlace>,
    /// Memory variables that only this function can reach.
    private: Vec<bool>,
    locations: IdxVec<LocId, Option<Location>>,
    alias: FxHashMap<LocId, LocId>,
    here: LocId,
    pub(super) pending: Vec<Op>,
    pending_shared: bool,
    pending_span: Span,
    pub(super) span: Span,
    /// Inside a step of a model: everything is one transaction.
    pub(super) in_step: bool,
    /// While a summary is lowered that allows more than the function does: the name of what holds its results.
    pub(super) inexact_name: Option<String>,
    /// In an atomic section for certain: since its begin there was no branch.
    pub(super) in_atomic: bool,
    pub(super) enclosing: Vec<Enclosing>,
    /// Variables of the blocks around that live as long as these do, the outermost first.
    pub(super) scoped: Vec<VarId>,
    /// Locals that were declared without a value.
    pub(super) unset: FxHashSet<LocalId>,
    /// The calls that leaving the scopes around asks for, the outermost first.
    pub(super) cleanups: Vec<&'m hir::Expr>,
    labels: FxHashMap<LabelId, LocId>,
    /// Where control goes when a jump leaves this function or ends in it, and where it can end.
    pub(super) unwinding: Option<LocId>,
    pub(super) landings: Vec<super::jumps::Landing>,
    /// Where the result of a record-returning function goes.
    pub(super) result_pointer: Option<VarId>,
    /// Where the surplus arguments of a variadic function lie.
    pub(super) surplus: Option<VarId>,
}

/// Longer transactions are split: steps in a trace should stay readable.
const MAX_OPS: usize = 64;
/// Larger expressions are cut by a temporary, so that no later stage meets a deep tree.
const MAX_EXPR_NODES: usize = 64;

impl<'l, 'm> Builder<'l, 'm> {
    pub(super) fn new(
        ctx: &'l mut Lowering<'m>,
        id: FunctionId,
        declared: &'m hir::Function,
        body: &'m hir::Body,
    ) -> Self {
        let mut locations = IdxVec::new();
        let here = locations.push(None);
        Self {
            ctx,
            id,
            declared,
            body,
            names: UniqueNames::default(),
            vars: IdxVec::new(),
            params: Vec::new(),
            locals: IdxVec::new(),
            private: Vec::new(),
            locations,
            alias: FxHashMap::default(),
            here,
            pending: Vec::new(),
            pending_shared: false,
            pending_span: declared.span,
            span: declared.span,
            in_step: false,
            inexact_name: None,
            in_atomic: false,
            enclosing: Vec::new(),
            scoped: Vec::new(),
            unset: FxHashSet::default(),
            cleanups: Vec::new(),
            labels: FxHashMap::default(),
            unwinding: None,
            landings: Vec::new(),
            result_pointer: None,
            surplus: None,
        }
    }

    /// Lowers the whole body.
    pub(super) fn run(mut self) -> Function {
        let (ret, variadic) = self.signature();
        let escaping = super::escape::escaping_locals(self.body, &|id, n| self.ctx.forgets(id, n));
        for (local, decl) in self.body.locals.iter_enumerated() {
            let is_captured = self.ctx.closures.is_captured(self.id, local);
            let place = self.declare_local(local, decl, !escaping.contains(&local) && !is_captured);
            self.locals.push(place);
        }
        let entry = self.here;
        if self.is_main() {
            let after_arguments = self.new_location();
            self.open(after_arguments);
        }
        let begin = self.here;
        self.receive_params(variadic);
        self.receive_captures();
        let atomic = self.declared.name.starts_with("__VERIFIER_atomic_");
        if atomic {
            self.transact(vec![Op::AtomicBegin], None);
        }
        self.refuse_cleanup_frames();
        self.stmts(&self.body.stmts);
        self.span = self.body.end;
        self.fall_off_end(atomic);
        self.finish_unwinding();
        if begin != entry {
            self.open(entry);
            self.receive_arguments();
            self.goto(begin);
        }
        self.finish(entry, ret)
    }

    fn signature(&mut self) -> (Option<Width>, bool) {
        let types = &self.ctx.module.types;
        let Type::Function { ret, variadic, .. } = types.get(self.declared.ty) else { return (None, false) };
        if self.ctx.is_record(*ret) {
            let word = self.ctx.model.pointer();
            let pointer = self.register("result", word);
            self.params.push(pointer);
            self.result_pointer = Some(pointer);
            return (None, *variadic);
        }
        (self.ctx.width(*ret), *variadic)
    }

    fn declare_local(&mut self, id: LocalId, decl: &hir::Local, private: bool) -> LocalPlace {
        let is_param = self.body.params.contains(&id);
        let Some((size, align)) = self.ctx.module.types.size_align(decl.ty) else {
            return LocalPlace::Missing;
        };
        if is_param && self.ctx.is_record(decl.ty) {
            let word = self.ctx.model.pointer();
            return LocalPlace::ByReference(self.register(&decl.name, word));
        }
        if let Some(object) = self.constant_variable(id, decl) {
            return LocalPlace::Constant(object);
        }
        match self.ctx.width(decl.ty) {
            Some(width) if !decl.address_taken => {
                LocalPlace::Register(self.register(&decl.name, width), width)
            }
            _ => {
                let read_only = self.is_constant_variable(decl);
                let kind = VarKind::Memory { size, align: align.max(decl.align).max(1), read_only };
                let var = self.declare_var(&decl.name, kind, false);
                self.private[var.index()] = private;
                LocalPlace::Memory(var)
            }
        }
    }

    /// Falling off the end of `main` returns 0; of any other function, an indeterminate value.
    fn fall_off_end(&mut self, atomic: bool) {
        if atomic {
            self.transact(vec![Op::AtomicEnd], None);
        }
        let is_entry = self.id == self.ctx.module.entry;
        let zero = is_entry.then(|| self.result_width()).flatten().map(|w| Expr::constant(0, w));
        self.return_value(zero, false);
    }

    /// The width of what this function returns.
    pub(super) fn result_width(&self) -> Option<Width> {
        match self.ctx.module.types.get(self.declared.ty) {
            Type::Function { ret, .. } => self.ctx.width(*ret),
            _ => None,
        }
    }

    /// Returns, after what must happen at the program's end if this is the entry.
    pub(super) fn return_value(&mut self, value: Option<Expr>, leave_atomic: bool) {
        self.flush();
        self.clear_links();
        if leave_atomic && self.declared.name.starts_with("__VERIFIER_atomic_") {
            self.transact(vec![Op::AtomicEnd], None);
        }
        let value = match self.id == self.ctx.module.start.unwrap_or(self.ctx.module.entry) {
            true => {
                self.offer_interrupt();
                self.at_exit(value)
            }
            false => value,
        };
        self.end(Action::Return(value));
    }

    fn finish(self, entry: LocId, ret: Option<Width>) -> Function {
        debug_assert!(self.pending.is_empty(), "all operations should have been emitted");
        let mut new_id: IdxVec<LocId, Option<LocId>> = self.locations.iter().map(|_| None).collect();
        let mut locations = IdxVec::new();
        let mut todo = vec![self.resolve(entry)];
        while let Some(loc) = todo.pop() {
            if new_id[loc].is_some() {
                continue;
            }
            let location = self.locations[loc].clone().unwrap_or_else(|| Location {
                action: Action::Unsupported("control reaches a place without code".to_owned()),
                span: self.span,
            });
            let mut successors: Vec<LocId> = location.action.successors().map(|s| self.resolve(s)).collect();
            new_id[loc] = Some(locations.push(location));
            successors.reverse();
            todo.extend(successors);
        }
        let rename = |l: LocId| new_id[self.resolve(l)].expect("a successor should have been visited");
        for location in locations.iter_mut() {
            location.action.successors_mut().for_each(|s| *s = rename(*s));
        }
        let entry = rename(entry);
        Function {
            name: self.ctx.functions[self.ctx.funcs[&self.id]].name.clone(),
            params: self.params,
            ret,
            entry,
            vars: self.vars,
            locations,
            library: self.declared.library,
            summary: None,
            span: self.declared.span,
        }
    }

    /// The actions so far.
    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.locations.iter().flatten().map(|location| &location.action)
    }

    // ---- variables ------------------------------------------------------------------------------------------

    fn declare_var(&mut self, name: &str, kind: VarKind, temporary: bool) -> VarId {
        self.private.push(true);
        self.vars.push(Var { name: self.names.unique(name), kind, temporary })
    }

    pub(super) fn register(&mut self, name: &str, width: Width) -> VarId {
        self.declare_var(name, VarKind::Register(width), false)
    }

    /// A fresh register that the source does not have.
    pub(super) fn temporary(&mut self, width: Width) -> VarId {
        self.declare_var("t", VarKind::Register(width), true)
    }

    /// A fresh register that the source does not have, under a name that means something.
    pub(super) fn named_temporary(&mut self, name: &str, width: Width) -> VarId {
        self.declare_var(name, VarKind::Register(width), true)
    }

    /// A fresh register for the choice whether to be interrupted.
    pub(super) fn interrupt_choice(&mut self) -> VarId {
        self.declare_var("__threadproof_interrupt", VarKind::Register(Width::BOOL), true)
    }

    /// Fresh memory of the frame that only this function knows of.
    pub(super) fn temporary_memory(&mut self, size: u64, align: u64) -> VarId {
        self.named_memory("block", size, align)
    }

    /// Fresh memory of the frame that only this function knows of, under a name that means something.
    pub(super) fn named_memory(&mut self, name: &str, size: u64, align: u64) -> VarId {
        self.declare_var(name, VarKind::Memory { size, align: align.max(1), read_only: false }, true)
    }

    /// The value of `expr`, computed now.
    pub(super) fn in_temporary(&mut self, expr: Expr) -> Expr {
        let width = expr.width();
        let var = self.temporary(width);
        self.push(Op::Set { var, value: expr });
        Expr::Reg(var, width)
    }

    /// `expr` itself if it is cheap to repeat, else a temporary holding its value.
    pub(super) fn repeatable(&mut self, expr: Expr) -> Expr {
        match &expr {
            Expr::Const(..)
            | Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_) => expr,
            Expr::Reg(var, _) if self.vars[*var].temporary => expr,
            Expr::Binary(BinOp::Add, base, offset)
                if offset.as_const().is_some()
                    && matches!(**base, Expr::ObjectAddr(..) | Expr::LocalAddr(..)) =>
            {
                expr
            }
            _ => self.in_temporary(expr),
        }
    }

    /// `expr`, cut by a temporary if it has grown large.
    pub(super) fn bounded(&mut self, expr: Expr) -> Expr {
        fn nodes(expr: &Expr, left: &mut usize) {
            *left = left.saturating_sub(1);
            for child in expr.children() {
                if *left == 0 {
                    return;
                }
                nodes(child, left);
            }
        }
        let mut left = MAX_EXPR_NODES;
        nodes(&expr, &mut left);
        if left == 0 { self.in_temporary(expr) } else { expr }
    }

    // ---- control --------------------------------------------------------------------------------------------

    /// A location to be filled later.
    pub(super) fn new_location(&mut self) -> LocId {
        self.locations.push(None)
    }

    fn resolve(&self, mut loc: LocId) -> LocId {
        while let Some(&same) = self.alias.get(&loc) {
            loc = same;
        }
        loc
    }

    fn fill(&mut self, action: Action, span: Span) {
        debug_assert!(!self.in_step, "a step of a model should be one transaction");
        let here = self.resolve(self.here);
        debug_assert!(self.locations[here].is_none(), "{here} should be open");
        self.locations[here] = Some(Location { action, span });
    }

    /// Emits what is pending, unless a step of a model is under way.
    pub(super) fn flush(&mut self) {
        if self.pending.is_empty() || self.in_step {
            return;
        }
        let ops = std::mem::take(&mut self.pending);
        if std::mem::take(&mut self.pending_shared) {
            self.offer_interrupt();
        }
        let next = self.new_location();
        self.fill(Action::Ops { ops, sync: None, next }, self.pending_span);
        self.here = next;
    }

    /// Goes on at `target`, which may be open or filled.
    pub(super) fn goto(&mut self, target: LocId) {
        self.flush();
        let (here, target) = (self.resolve(self.here), self.resolve(target));
        if self.locations[here].is_some() {
            return; // already ended
        }
        if here == target {
            self.fill(Action::Ops { ops: Vec::new(), sync: None, next: target }, self.span);
        } else {
            self.alias.insert(here, target);
        }
        self.here = self.new_location();
    }

    /// Opens `target` as the place of the next action; control arrives there from here, too.
    pub(super) fn join(&mut self, target: LocId) {
        self.goto(target);
        self.here = target;
        self.in_atomic = false;
    }

    /// Opens `target` as the place of the next action; control does not arrive there from here.
    pub(super) fn open(&mut self, target: LocId) {
        debug_assert!(self.pending.is_empty(), "pending operations should be emitted before moving");
        self.here = target;
        self.in_atomic = false;
    }

    /// Two-way choice; the caller opens the targets.
    pub(super) fn branch(&mut self, cond: Expr, yes: LocId, no: LocId) {
        match cond.as_const() {
            Some(0) => self.goto(no),
            Some(_) => self.goto(yes),
            None => {
                self.flush();
                self.fill(Action::Branch { cond, yes, no }, self.span);
                self.here = self.new_location();
            }
        }
    }

    /// An action after which this path does not go on.
    pub(super) fn end(&mut self, action: Action) {
        self.flush();
        self.fill(action, self.span);
        self.here = self.new_location();
    }

    /// An action with a successor.
    pub(super) fn step(&mut self, action: impl FnOnce(LocId) -> Action) {
        self.flush();
        let next = self.new_location();
        self.fill(action(next), self.span);
        self.here = next;
    }

    /// Operations that happen in one step.
    pub(super) fn transact(&mut self, ops: Vec<Op>, sync: Option<Sync>) {
        if ops.iter().any(|op| self.is_shared_access(op)) {
            self.flush();
            self.offer_interrupt();
        }
        self.step(|next| Action::Ops { ops, sync, next });
    }

    /// The path ends here with no verdict.
    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.opaque(what, &[]);
    }

    /// The path ends with no verdict unless `cond` holds.
    pub(super) fn undefined_unless(&mut self, cond: Expr, kind: UndefinedKind, what: &str) {
        if cond.as_const().is_some_and(|v| v != 0) {
            return;
        }
        let (fine, bad) = (self.new_location(), self.new_location());
        self.branch(cond, fine, bad);
        self.open(bad);
        self.end(Action::Undefined(Undefined::new(kind, what)));
        self.open(fine);
    }

    /// The location of a label.
    pub(super) fn label(&mut self, label: LabelId) -> LocId {
        if let Some(&loc) = self.labels.get(&label) {
            return loc;
        }
        let loc = self.new_location();
        self.labels.insert(label, loc);
        loc
    }

    // ---- operations -----------------------------------------------------------------------------------------

    /// Adds an operation to the pending transaction, or starts a new one if it is the second shared access.
    pub(super) fn push(&mut self, op: Op) {
        let shared = self.is_shared_access(&op);
        if !self.in_step && ((shared && self.pending_shared) || self.n_pending() >= MAX_OPS) {
            self.flush();
        }
        if self.n_pending() == 0 || shared {
            self.pending_span = self.span;
        }
        self.pending_shared |= shared;
        self.pending.push(op);
    }

    /// The operations that wait to be emitted, which should be markers.
    pub(super) fn take_markers(&mut self) -> Vec<Op> {
        debug_assert!(self.n_pending() == 0, "a sum should be an expression");
        std::mem::take(&mut self.pending)
    }

    /// A fence begins a transaction: no access comes before it that would have to wait with it.
    pub(super) fn fence(&mut self, barrier: Barrier) {
        if self.ctx.checks.memory_model.is_weak() {
            self.flush();
        }
        self.push(Op::Fence(barrier));
    }

    /// Adds an operation on memory whose address no other thread can have yet.
    pub(super) fn push_private(&mut self, op: Op) {
        if self.n_pending() == 0 {
            self.pending_span = self.span;
        }
        self.pending.push(op);
    }

    /// Adds an operation without effect; where transactions end does not depend on it.
    pub(super) fn push_marker(&mut self, op: Op) {
        debug_assert!(!self.in_step, "a step of a model should not be cut by a check");
        if self.pending.is_empty() {
            self.pending_span = self.span;
        }
        self.pending.push(op);
    }

    /// The number of pending operations, markers aside.
    fn n_pending(&self) -> usize {
        self.pending.iter().filter(|op| !matches!(op, Op::Signed { .. })).count()
    }

    fn is_shared_access(&self, op: &Op) -> bool {
        match op {
            Op::Set { value, .. } => self.reads_shared(value),
            Op::Store { addr, value, .. } => !self.is_private(addr) || self.reads_shared(value),
            Op::Copy { dst, src, .. } => !self.is_private(dst) || !self.is_private(src),
            Op::Fill { dst, .. } => !self.is_private(dst),
            Op::Guard(cond) | Op::Assume(cond) => self.reads_shared(cond),
            Op::Havoc { .. } | Op::Forget { .. } | Op::Alloc { .. } | Op::Fence(_) => false,
            _ => true,
        }
    }

    fn reads_shared(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load { addr, .. } => !self.is_private(addr),
            other => other.children().any(|c| self.reads_shared(c)),
        }
    }

    /// Returns true if only this thread can reach what is at `addr` (or it is never written).
    pub(super) fn is_private(&self, addr: &Expr) -> bool {
        match addr {
            Expr::LocalAddr(var, _) => self.private[var.index()],
            Expr::ObjectAddr(object, _) => self.ctx.objects[*object].read_only,
            Expr::Binary(BinOp::Add | BinOp::Sub, base, _) => self.is_private(base),
            _ => false,
        }
    }
}
