//! What an action means: its outcomes, each a block of guarded commands and the control after it.
//!
//! [`Encoder::successors`] gives *all* outcomes of the next action of a thread: both sides of a branch, every function that an
//! indirect call can enter, every thread that a handle can name. A state in which none of the outcomes' guards holds is
//! one in which the action blocks, fails an assumption, or is undefined ([`crate::encoding`] says what that means).
//!
//! Conditions are `Bool` terms, and so are one-bit registers; all other values are bit-vectors of their width.

use crate::analysis::Analysis;
use crate::encoding::control::GlobalLocation;
use crate::encoding::names::{Name, Names};
use base::{IdxVec, Inconclusive};
use logic::path::{Cmd, SymbolicStore};
use logic::{Symbol, Term, Terms};
use program::interp::{Identities, Identity, Interp, Limits, ThreadId};
use program::{Action, Expr, FuncId, Op, Program, Property, VarId, VarKind, Width};
use std::sync::Arc;

/// One outcome of an action.
#[derive(Clone, Debug)]
pub struct Successor {
    /// What happens to the data.
    pub block: Vec<Cmd>,
    /// The global location behind it.
    pub control: GlobalLocation,
    /// How it ends.
    pub kind: SuccessorKind,
}

/// How an outcome ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SuccessorKind {
    /// The run goes on.
    Continue,
    /// The program is over.
    Ended,
    /// A property is violated.
    Violation(Property, String),
    /// C leaves open what happens.
    Undefined(String),
    /// There is no model of what happens.
    Unsupported(String),
    /// A bound is reached.
    Bound(String),
}

impl SuccessorKind {
    /// Why there is no verdict once this is reachable.
    pub fn stop(&self) -> Option<Inconclusive> {
        match self {
            SuccessorKind::Continue | SuccessorKind::Ended | SuccessorKind::Violation(..) => None,
            SuccessorKind::Undefined(what) => Some(Inconclusive::Undefined(what.clone())),
            SuccessorKind::Unsupported(what) => Some(Inconclusive::Unsupported(what.clone())),
            SuccessorKind::Bound(what) => Some(Inconclusive::Bound(what.clone())),
        }
    }
}

/// The value of [`Name::Waiting`] after a signal; no address is this number.
pub(super) const SIGNALLED: u128 = 1;
/// More frames than this are a bound reached.
pub(super) const MAX_FRAMES: usize = 200;
/// More threads than this are a bound reached.
pub(super) const MAX_THREADS: usize = 64;

/// Turns actions into commands.
pub struct Encoder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) interp: Interp<'p>,
    pub(crate) analysis: Arc<Analysis<'p>>,
    /// The registers that each function assigns.
    pub(crate) assigned: IdxVec<FuncId, Vec<VarId>>,
    pub(crate) names: Names,
    pub(super) waits: bool,
    /// Threads whose handle is a variable: they stand for many.
    pub(crate) handles: rustc_hash::FxHashMap<ThreadId, Term>,
    /// Objects that exist although the control does not tell: it is only that of one thread.
    pub(crate) others: Vec<Identity>,
    /// What is checked about accesses and lives; `None` if undefined executions are assumed away.
    pub(crate) validity: Option<super::validity::Validity>,
}

/// An outcome under construction.
pub(crate) type Partial = Successor;
/// A value, or why there is none.
pub(crate) type Valued<T> = Result<T, SuccessorKind>;

impl<'p> Encoder<'p> {
    /// An encoder of a program that has been analysed.
    pub fn new(analysis: &Arc<Analysis<'p>>) -> Result<Self, Inconclusive> {
        Ok(Self::with(analysis, Interp::new(analysis.program)?))
    }

    /// An encoder that gives threads and objects the numbers that they have where `known` comes from.
    pub fn with_identities(analysis: &Arc<Analysis<'p>>, known: &Identities) -> Result<Self, Inconclusive> {
        Ok(Self::with(analysis, Interp::with_identities(analysis.program, Limits::default(), known)?))
    }

    fn with(analysis: &Arc<Analysis<'p>>, interp: Interp<'p>) -> Self {
        let program = analysis.program;
        Self {
            program,
            interp,
            analysis: Arc::clone(analysis),
            assigned: program.functions.iter().map(crate::encoding::constants::assigned).collect(),
            names: Names::default(),
            waits: false,
            handles: rustc_hash::FxHashMap::default(),
            others: Vec::new(),
            validity: None,
        }
    }

    /// What is known of the program beforehand.
    pub fn analysis(&self) -> &Arc<Analysis<'p>> {
        &self.analysis
    }

    /// Follows who waits on which condition variable, for the question who is blocked for ever ([`moves`](Self::moves)).
    pub fn following_waits(mut self) -> Self {
        self.waits = true;
        self
    }

    /// When `thread` can take its next action, spurious wake-ups aside; `None` if it always can.
    ///
    /// Errs towards "it cannot": a guard on an input counts as one that does not hold.
    pub fn moves(&mut self, terms: &mut Terms, control: &GlobalLocation, thread: ThreadId) -> Option<Term> {
        let at = control.thread(thread).expect("a thread that moves should be in the control").top();
        let Action::Ops { ops, .. } = &self.program.functions[at.func].locations[at.loc].action else {
            return None;
        };
        if !ops.iter().any(Op::can_block) {
            return None;
        }
        let mut ways = Vec::new();
        for outcome in self.successors(terms, control, thread) {
            let conditions = SymbolicStore::default().run(terms, &outcome.block);
            let on_input = |c: &Term| terms.free_vars(*c).into_iter().any(|s| terms.is_version(s));
            if !conditions.iter().any(on_input) {
                ways.push(terms.and(&conditions));
            }
        }
        let some_way = terms.or(&ways);
        match self.woken(terms, control, thread) {
            Some(woken) => Some(terms.and2(some_way, woken)),
            None => Some(some_way),
        }
    }

    /// When the next action of `thread`, if it is taken, is no spurious wake-up; `None` if it cannot be one, or waits are not followed.
    pub fn woken(&mut self, terms: &mut Terms, control: &GlobalLocation, thread: ThreadId) -> Option<Term> {
        let at = control.thread(thread).expect("a thread that moves should be in the control").top();
        let action = &self.program.functions[at.func].locations[at.loc].action;
        let Action::Ops { ops, .. } = action else { return None };
        if !self.waits || !ops.iter().any(|op| matches!(op, Op::WaitEnd { timed: false, .. })) {
            return None;
        }
        let waiting = self.names.symbol(terms, self.program, Name::Waiting(thread));
        let (waiting, signalled) =
            (terms.var_of(waiting), terms.constant(SIGNALLED, self.program.data_model.pointer().0));
        Some(terms.eq(waiting, signalled))
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// State variables and what they stand for.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Which thread this is, for people: the numbers of creation sites.
    pub fn interp(&self) -> &Interp<'p> {
        &self.interp
    }

    /// The control at the start, and the commands that make the initial state.
    pub fn initial(&mut self, terms: &mut Terms) -> Result<(GlobalLocation, Vec<Cmd>), Inconclusive> {
        let entry = self.program.entry;
        let control = GlobalLocation::initial(entry, self.program.functions[entry].entry);
        let mut partial = Partial { block: Vec::new(), control, kind: SuccessorKind::Continue };
        for object in self.program.objects.ids() {
            if !self.program.objects[object].thread_local {
                self.initialise(terms, &mut partial.block, object, Identity::Static(object))?;
            }
        }
        self.begin_thread(terms, &mut partial, ThreadId::MAIN, entry, None)?;
        Ok((partial.control, partial.block))
    }

    /// All outcomes of the next action of `thread`.
    pub fn successors(
        &mut self,
        terms: &mut Terms,
        control: &GlobalLocation,
        thread: ThreadId,
    ) -> Vec<Successor> {
        let at = control.thread(thread).expect("a thread that moves should be in the control").top();
        let program = self.program;
        let action = &program.functions[at.func].locations[at.loc].action;
        let start = Partial { block: Vec::new(), control: control.clone(), kind: SuccessorKind::Continue };
        let mut encoding = Encoding { encoder: self, terms, thread, func: at.func, strays: Vec::new() };
        let mut outcomes = encoding.action(start, action);
        outcomes.append(&mut encoding.strays);
        outcomes.into_iter().filter(|o| !is_impossible(terms, &o.block)).collect()
    }

    /// A new thread's objects and first frame; its id is already in the control.
    pub(crate) fn begin_thread(
        &mut self,
        terms: &mut Terms,
        partial: &mut Partial,
        thread: ThreadId,
        func: FuncId,
        arg: Option<Term>,
    ) -> Result<(), Inconclusive> {
        for object in self.program.objects.ids() {
            if self.program.objects[object].thread_local {
                self.initialise(terms, &mut partial.block, object, Identity::ThreadLocal(object, thread))?;
            }
        }
        let follows = self.waits;
        let program = self.program;
        let mut encoding = Encoding { encoder: self, terms, thread, func, strays: Vec::new() };
        for (object, _) in program.objects.iter_enumerated().filter(|(_, o)| o.thread_local) {
            encoding.set_alive(partial, Identity::ThreadLocal(object, thread), true);
        }
        if follows {
            encoding.set_waiting(partial, thread, 0);
        }
        let args: Vec<Term> = arg.into_iter().collect();
        encoding
            .enter(partial, 0, func, &args)
            .map_err(|kind| kind.stop().unwrap_or(Inconclusive::SolverGaveUp))
    }
}

/// Returns true if in every state one of the outcomes can be executed: the action cannot block, fail an assumption, or be undefined without an
/// outcome that says so. May return false although it is so.
pub fn is_total(terms: &mut Terms, outcomes: &[Successor]) -> bool {
    let mut ways = Vec::new();
    for outcome in outcomes {
        let conditions = SymbolicStore::default().run(terms, &outcome.block);
        ways.push(terms.and(&conditions));
    }
    let any = terms.or(&ways);
    terms.as_bool(any) == Some(true)
}

/// Returns true if a block can never be executed.
fn is_impossible(terms: &Terms, block: &[Cmd]) -> bool {
    block.iter().any(|cmd| matches!(cmd, Cmd::Assume(guard) if terms.as_bool(*guard) == Some(false)))
}

/// One action being encoded.
pub(crate) struct Encoding<'e, 'p> {
    pub(crate) encoder: &'e mut Encoder<'p>,
    pub(crate) terms: &'e mut Terms,
    pub(crate) thread: ThreadId,
    pub(crate) func: FuncId,
    /// Outcomes in which an access is inside its object, but not where the layout guesses that it is.
    pub(crate) strays: Vec<Successor>,
}

impl<'p> Encoding<'_, 'p> {
    pub(super) fn action(&mut self, start: Partial, action: &'p Action) -> Vec<Successor> {
        let stopped = |kind, start: Partial| vec![Successor { kind, ..start }];
        match action {
            Action::Ops { ops, next, .. } => self.transaction(start, ops, *next),
            Action::Branch { cond, yes, no } => self.branch(start, cond, *yes, *no),
            Action::Call { callee, args, .. } => self.call(start, callee, args),
            Action::Return(value) => {
                let outcomes = self.return_from(start, value.as_ref());
                self.ended_by_last(outcomes)
            }
            Action::ThreadExit(value) => {
                let outcomes = self.attempt(start, |encoding, partial| {
                    let value = encoding.value(partial, value)?;
                    encoding.finish(partial, Some(value));
                    Ok(())
                });
                self.ended_by_last(outcomes)
            }
            Action::Exit => self.ended(start, true),
            Action::Error { property, message } => {
                stopped(SuccessorKind::Violation(*property, message.clone()), start)
            }
            Action::Unsupported(what) => stopped(SuccessorKind::Unsupported(what.clone()), start),
            Action::Undefined(undefined) => stopped(self.undefined(undefined.clone()), start),
        }
    }

    /// One outcome, or the reason why there is none.
    pub(super) fn attempt(
        &mut self,
        start: Partial,
        run: impl FnOnce(&mut Self, &mut Partial) -> Valued<()>,
    ) -> Vec<Successor> {
        let mut partial = start;
        if let Err(kind) = run(self, &mut partial) {
            partial.kind = kind;
        }
        vec![partial]
    }

    pub(super) fn go(&self, partial: &mut Partial, loc: program::LocId) {
        let thread = partial.control.thread_mut(self.thread);
        thread.frames.last_mut().expect("a thread that moves should have a frame").loc = loc;
    }

    pub(super) fn branch(
        &mut self,
        start: Partial,
        cond: &Expr,
        yes: program::LocId,
        no: program::LocId,
    ) -> Vec<Successor> {
        let mut shared = start;
        let cond = match self.value(&mut shared, cond) {
            Ok(cond) => cond,
            Err(kind) => return vec![Successor { kind, ..shared }],
        };
        let negated = self.terms.not(cond);
        let mut outcomes = Vec::new();
        for (guard, target) in [(cond, yes), (negated, no)] {
            let mut outcome = shared.clone();
            outcome.block.push(Cmd::Assume(guard));
            self.go(&mut outcome, target);
            outcomes.push(outcome);
        }
        outcomes
    }

    pub(super) fn transaction(
        &mut self,
        start: Partial,
        ops: &'p [Op],
        next: program::LocId,
    ) -> Vec<Successor> {
        let mut done = self.prefix(start, ops);
        for partial in done.iter_mut().filter(|partial| partial.kind == SuccessorKind::Continue) {
            // A thread is where it was until its transaction is over; nothing in it moves its frames.
            self.go(partial, next);
        }
        done
    }

    /// All outcomes of some operations of a transaction; those that go on come last.
    pub(crate) fn prefix(&mut self, start: Partial, ops: &'p [Op]) -> Vec<Successor> {
        let mut open = vec![start];
        let mut done = Vec::new();
        for (n, op) in (0..).zip(ops) {
            let mut after = Vec::new();
            for partial in open {
                after.extend(self.op(partial, op, n));
            }
            open = Vec::new();
            for partial in after {
                if partial.kind == SuccessorKind::Continue { open.push(partial) } else { done.push(partial) }
            }
        }
        done.extend(open);
        done
    }

    // ---- operations -----------------------------------------------------------------------------------------

    pub(super) fn op(&mut self, start: Partial, op: &'p Op, n: u32) -> Vec<Successor> {
        match op {
            Op::Create { handle, func, arg } => self.create(start, n, *handle, func, arg),
            Op::Join { handle, result, error } => self.join(start, handle, *result, *error),
            Op::Detach { handle, error } => self.detach(start, handle, *error),
            Op::Signal { cond, all } if self.encoder.waits => self.signal(start, cond, *all),
            _ => self.attempt(start, |encoding, partial| encoding.simple_op(partial, op, n)),
        }
    }

    pub(super) fn simple_op(&mut self, partial: &mut Partial, op: &'p Op, n: u32) -> Valued<()> {
        match op {
            Op::Set { var, value } => {
                let value = self.value(partial, value)?;
                self.set_register(partial, *var, value);
            }
            Op::Store { addr, value, .. } => {
                let value = self.value(partial, value)?;
                self.store(partial, addr, value)?;
            }
            Op::Havoc { var } => {
                let symbol = self.register(partial, *var);
                partial.block.push(Cmd::Havoc(symbol));
            }
            Op::Forget { var, alive } => self.forget(partial, *var, *alive)?,
            Op::Guard(cond) | Op::Assume(cond) => {
                let cond = self.value(partial, cond)?;
                partial.block.push(Cmd::Assume(cond));
            }
            Op::Copy { dst, src, len } => self.copy(partial, dst, src, len)?,
            Op::Fill { dst, byte, len } => self.fill(partial, dst, byte, len)?,
            Op::Alloc { var, size, storage, .. } => _ = self.alloc(partial, *var, size, *storage, n)?,
            Op::Realloc { var, ptr, size, stays } => self.realloc(partial, *var, (ptr, size, stays), n)?,
            Op::Free(addr) => self.free(partial, addr)?,
            Op::AtomicBegin => {
                let depth = partial.control.atomic.map_or(0, |(_, depth)| depth);
                partial.control.atomic = Some((self.thread, depth + 1));
            }
            Op::AtomicEnd => {
                let depth = partial.control.atomic.map_or(0, |(_, depth)| depth);
                partial.control.atomic = (depth > 1).then(|| (self.thread, depth - 1));
            }
            Op::WaitBegin(cond) if self.encoder.waits => {
                let value = self.value(partial, cond)?;
                let symbol = self.symbol(Name::Waiting(self.thread));
                partial.block.push(Cmd::Assign(symbol, value));
            }
            Op::WaitEnd { woken, .. } => self.wait_end(partial, *woken),
            // A wait may end at any time, so that signals make no difference to what is reachable.
            Op::WaitBegin(_) | Op::Signal { .. } | Op::Fence(_) | Op::Signed { .. } => {}
            Op::Create { .. } | Op::Join { .. } | Op::Detach { .. } => {
                unreachable!("operations with several outcomes should have been handled before")
            }
        }
        Ok(())
    }

    pub(super) fn forget(&mut self, partial: &mut Partial, var: VarId, alive: bool) -> Valued<()> {
        match self.encoder.program.functions[self.func].vars[var].kind {
            VarKind::Register(_) => {
                let symbol = self.register(partial, var);
                partial.block.push(Cmd::Havoc(symbol));
                Ok(())
            }
            VarKind::Memory { .. } => {
                let object = self.local_object(partial, var);
                self.enter_scope(partial, object, alive)?;
                self.forget_object(partial, object)
            }
        }
    }

    // ---- registers ------------------------------------------------------------------------------------------

    pub(crate) fn symbol(&mut self, name: Name) -> Symbol {
        self.encoder.names.symbol(self.terms, self.encoder.program, name)
    }

    pub(super) fn register_at(&mut self, depth: u32, func: FuncId, var: VarId) -> Symbol {
        self.symbol(Name::Register { thread: self.thread, depth, func, var })
    }

    pub(crate) fn register(&mut self, partial: &Partial, var: VarId) -> Symbol {
        let depth = self.depth(partial);
        self.register_at(depth, self.func, var)
    }

    pub(super) fn depth(&self, partial: &Partial) -> u32 {
        partial.control.thread(self.thread).map_or(0, |t| t.depth())
    }

    /// A variable's value at the end of a block: a constant if the block itself sets it to one, so that accesses through an
    /// address that was just computed name their cell.
    pub(crate) fn current(&self, partial: &Partial, symbol: Symbol) -> Term {
        let value = assigned(partial, symbol)
            .filter(|value| self.terms.as_const(*value).is_some() || self.terms.as_bool(*value).is_some());
        value.unwrap_or_else(|| self.terms.var_of(symbol))
    }

    pub(super) fn register_width(&self, func: FuncId, var: VarId) -> Width {
        match self.encoder.program.functions[func].vars[var].kind {
            VarKind::Register(width) => width,
            VarKind::Memory { .. } => unreachable!("a memory variable should not be used as a register"),
        }
    }

    pub(crate) fn set_register(&mut self, partial: &mut Partial, var: VarId, value: Term) {
        let symbol = self.register(partial, var);
        partial.block.push(Cmd::Assign(symbol, value));
    }

    /// Drops executions in which `cond` does not hold.
    pub(crate) fn assume(&mut self, partial: &mut Partial, cond: Term) {
        if self.terms.as_bool(cond) != Some(true) {
            partial.block.push(Cmd::Assume(cond));
        }
    }

    pub(crate) fn local_object(&self, partial: &Partial, var: VarId) -> Identity {
        Identity::Local { thread: self.thread, depth: self.depth(partial), func: self.func, var }
    }

    pub(crate) fn pointer(&self) -> Width {
        self.encoder.program.data_model.pointer()
    }

    pub(crate) fn function_address(&mut self, func: FuncId) -> Term {
        let address = self.encoder.interp.function_address(func);
        self.terms.constant(u128::from(address), self.pointer().0)
    }

    /// The address of an object.
    pub(crate) fn object_address(&mut self, object: Identity) -> Valued<Term> {
        let address =
            self.encoder.interp.address(object).map_err(|stop| SuccessorKind::Bound(stop.to_string()))?;
        Ok(self.terms.constant(u128::from(address), self.pointer().0))
    }

    /// A value cut or extended with zeros to a width, as arguments and results are.
    pub(super) fn fit(&mut self, value: Term, width: Width) -> Term {
        let bits = self.as_bits(value);
        let from = self.terms.width(bits);
        let fitted = match from.cmp(&width.0) {
            std::cmp::Ordering::Less => self.terms.zext(width.0, bits),
            std::cmp::Ordering::Equal => bits,
            std::cmp::Ordering::Greater => self.terms.extract(width.0 - 1, 0, bits),
        };
        if width == Width::BOOL { self.terms.bits_to_bool(fitted) } else { fitted }
    }
}

/// What a block sets a variable to at last, as a term over the variables at that point.
pub(crate) fn assigned(partial: &Partial, symbol: Symbol) -> Option<Term> {
    partial.block.iter().rev().find_map(|cmd| match *cmd {
        Cmd::Assign(x, value) if x == symbol => Some(Some(value)),
        Cmd::Havoc(x) if x == symbol => Some(None),
        _ => None,
    })?
}
