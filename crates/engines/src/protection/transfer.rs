//! What a thread knows after an action, given what it knew before: the transfer functions.
//!
//! | fact | gained by | lost by |
//! |---|---|---|
//! | a register has the value of a term | an assignment whose right side is a term | an assignment to the register, or to the term's register |
//! | a lock is held | taking it; finding that a `trylock` gave 0 | a write that may touch its words; an assignment to its term's register; a callee that may do so |
//! | a register points into an owned object | allocation, and arithmetic on such a register | an action or a callee that may make the address of the object's site known |

use super::effects::{Bytes, Effects, linear};
use evidence::{Exit, Facts, Root, Term};
use program::interp::value;
use program::{Action, BinOp, Expr, FuncId, LocId, Op, VarId};
use semantics::analysis::Site;
use semantics::analysis::lockset::Mode;
use semantics::analysis::offset::Offset;
use semantics::analysis::points_to::is_opaque;
use std::collections::BTreeSet;

impl Effects<'_, '_> {
    /// What is known at the next locations, for an action other than a call.
    pub(super) fn after(&self, func: FuncId, loc: LocId, before: &Facts) -> Vec<(LocId, Facts)> {
        let action = &self.analysis.program.functions[func].locations[loc].action;
        let mut found = match action {
            Action::Ops { ops, next, .. } => vec![(*next, self.transacted(func, loc, ops, before))],
            Action::Branch { cond, yes, no } => {
                vec![(*yes, decided(before, cond, true)), (*no, decided(before, cond, false))]
            }
            _ => Vec::new(),
        };
        for (next, facts) in &mut found {
            self.settle(func, *next, facts);
        }
        found
    }

    /// Drops what is not known where the main thread is alone, and what is not used any more.
    pub(super) fn settle(&self, func: FuncId, loc: LocId, facts: &mut Facts) {
        if self.is_alone(func, loc) {
            facts.forget_contents();
        }
        let live = self.analysis.liveness[func].live_at(loc);
        facts.terms.retain(|var, _| live.contains(*var));
        facts.owned.retain(|var| live.contains(*var));
        facts.if_zero.retain(|var, _| live.contains(*var));
    }

    fn transacted(&self, func: FuncId, loc: LocId, ops: &[Op], before: &Facts) -> Facts {
        let taken = self.takes[func][loc].as_ref().and_then(|taking| {
            let term = self.term(func, loc, before, &taking.object)?;
            Some((term, taking.mode, taking.result))
        });
        let mut facts = before.clone();
        for op in ops {
            self.operation(func, loc, op, &mut facts);
        }
        self.drop_locks(func, &mut facts, &self.overwrites[func][loc]);
        let changed = |root: Root| {
            let mut set = ops.iter().flat_map(Op::results);
            matches!(root, Root::Register(var) if set.any(|changed| changed == var))
        };
        match taken {
            Some((term, ..)) if changed(term.root) => {}
            Some((term, mode, None)) => facts.take(term, mode),
            Some((term, mode, Some((var, busy)))) => {
                facts.if_zero.insert(var, (term, mode, busy));
            }
            None => {}
        }
        facts
    }

    /// What is known when an operation of a transaction begins; locks are those held before the transaction.
    pub(super) fn before_op(&self, func: FuncId, loc: LocId, n: usize, facts: &Facts) -> Facts {
        let mut facts = facts.clone();
        if let Action::Ops { ops, .. } = &self.analysis.program.functions[func].locations[loc].action {
            ops[..n].iter().for_each(|op| self.operation(func, loc, op, &mut facts));
        }
        facts
    }

    fn operation(&self, func: FuncId, loc: LocId, op: &Op, facts: &mut Facts) {
        if !facts.owned.is_empty() {
            let published = self.published_by(func, op, |addr| self.is_owned(func, facts, addr));
            self.publish(func, facts, &published);
        }
        match op {
            Op::Set { var, value } => {
                let term = self.term(func, loc, facts, value);
                let owned = self.is_owned(func, facts, value);
                let if_zero = match value {
                    Expr::Reg(from, _) => facts.if_zero.get(from).copied(),
                    _ => None,
                };
                facts.forget(*var);
                if let Some(term) = term.filter(|term| term.root != Root::Register(*var)) {
                    facts.terms.insert(*var, term);
                }
                if owned {
                    facts.owned.insert(*var);
                }
                if let Some(fact) = if_zero.filter(|(term, ..)| term.root != Root::Register(*var)) {
                    facts.if_zero.insert(*var, fact);
                }
            }
            Op::Alloc { var, .. } => {
                facts.forget(*var);
                facts.owned.insert(*var);
            }
            Op::AtomicBegin => facts.atomic = true,
            Op::AtomicEnd => facts.atomic = false,
            _ => op.results().for_each(|var| facts.forget(var)),
        }
    }

    /// Objects of these sites may be known to others.
    fn publish(&self, func: FuncId, facts: &mut Facts, sites: &BTreeSet<Site>) {
        if sites.is_empty() {
            return;
        }
        let width = self.analysis.program.data_model.pointer();
        facts.owned.retain(|var| {
            let targets = self.analysis.points_to.targets(func, &Expr::Reg(*var, width));
            targets.places.iter().all(|(site, _)| !sites.contains(site))
        });
    }

    /// The term that an expression is equal to.
    pub(super) fn term(&self, func: FuncId, loc: LocId, facts: &Facts, e: &Expr) -> Option<Term> {
        let program = self.analysis.program;
        if e.width() != program.data_model.pointer() {
            return None;
        }
        if let Some((site, offset)) = self.analysis.points_to.targets(func, e).only_place()
            && self.once.is_single(program, site)
        {
            return Some(Term { root: Root::Object(site), offset });
        }
        let (base, distance) = linear(e);
        let term = match base {
            Expr::Reg(var, _) => {
                facts.terms.get(var).copied().unwrap_or(Term { root: Root::Register(*var), offset: 0 })
            }
            Expr::Load { addr, .. } if !self.is_alone(func, loc) => {
                match self.analysis.points_to.targets(func, addr).only_place()? {
                    (Site::Static(object), at) if self.stable.contains(&(object, at)) => {
                        Term { root: Root::Content(object, at), offset: 0 }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Term { offset: term.offset.wrapping_add(distance), ..term })
    }

    /// Whether an address is in an object, if in any, that this thread owns.
    pub(super) fn is_owned(&self, func: FuncId, facts: &Facts, e: &Expr) -> bool {
        match e {
            Expr::Reg(var, _) => facts.owned.contains(var),
            Expr::Binary(BinOp::Add | BinOp::Sub, base, distance) => {
                let moved = self.analysis.points_to.targets(func, distance);
                self.is_owned(func, facts, base) && moved.places.is_empty() && !moved.unknown
            }
            _ => false,
        }
    }

    /// Forgets the locks whose words may be among these bytes.
    fn drop_locks<'b>(
        &self,
        func: FuncId,
        facts: &mut Facts,
        bytes: impl IntoIterator<Item = &'b Bytes> + Clone,
    ) {
        let met = |term: &Term| {
            let targets = self.lock_places(func, *term);
            bytes.clone().into_iter().any(|bytes| self.touches(&targets, bytes))
        };
        let dropped: Vec<Term> = facts.locks.keys().copied().filter(|term| met(term)).collect();
        facts.locks.retain(|term, _| !dropped.contains(term));
        facts.if_zero.retain(|_, (term, ..)| !met(term));
    }

    /// Whether bytes may be among the words of a lock at one of these places.
    pub(super) fn touches(&self, places: &[(Site, Offset)], (site, offset, length): &Bytes) -> bool {
        places.iter().filter(|(held, _)| held == site).any(|(_, at)| {
            self.words.iter().any(|(k, n)| offset.overlaps(*length, at.plus(Offset::Exactly(*k)), *n))
        })
    }

    /// Where a lock can be.
    pub(super) fn lock_places(&self, func: FuncId, term: Term) -> Vec<(Site, Offset)> {
        let width = self.analysis.program.data_model.pointer();
        let points_to = &self.analysis.points_to;
        let roots = match term.root {
            Root::Object(site) => return vec![(site, Offset::Exactly(term.offset))],
            Root::Register(var) => points_to.targets(func, &Expr::Reg(var, width)),
            Root::Content(object, at) => {
                let base = Expr::ObjectAddr(object, width);
                let at = Expr::constant(u128::from(at.cast_unsigned()), width);
                let addr = Box::new(Expr::binary(BinOp::Add, base, at));
                points_to.targets(func, &Expr::Load { addr, width, order: program::Order::Plain })
            }
        };
        let moved = roots.places.into_iter().map(|(site, at)| (site, at.plus(Offset::Exactly(term.offset))));
        moved.collect()
    }

    /// What a callee knows when it is entered.
    pub(super) fn entering(
        &self,
        func: FuncId,
        loc: LocId,
        args: &[Expr],
        callee: FuncId,
        before: &Facts,
    ) -> Facts {
        let params = &self.analysis.program.functions[callee].params;
        let passed: Vec<(VarId, Option<Term>, bool)> = params
            .iter()
            .zip(args)
            .map(|(param, arg)| (*param, self.term(func, loc, before, arg), self.is_owned(func, before, arg)))
            .collect();
        let mut facts = Facts { atomic: before.atomic, ..Facts::default() };
        for (term, mode) in &before.locks {
            match term.root {
                Root::Object(_) | Root::Content(..) => facts.take(*term, *mode),
                Root::Register(_) => {
                    for (param, passed, _) in &passed {
                        if let Some(passed) = passed.filter(|passed| passed.root == term.root) {
                            let offset = term.offset.wrapping_sub(passed.offset);
                            facts.take(Term { root: Root::Register(*param), offset }, *mode);
                        }
                    }
                }
            }
        }
        facts.owned.extend(passed.iter().filter(|(.., owned)| *owned).map(|(param, ..)| *param));
        self.settle(callee, self.analysis.program.functions[callee].entry, &mut facts);
        facts
    }

    /// What a caller knows when a callee has returned.
    pub(super) fn returning(
        &self,
        (func, loc): (FuncId, LocId),
        callee: FuncId,
        exit: &Exit,
        before: &Facts,
    ) -> Option<(LocId, Facts)> {
        let Action::Call { args, ret, next, .. } =
            &self.analysis.program.functions[func].locations[loc].action
        else {
            return None;
        };
        let mut facts = before.clone();
        self.drop_locks(func, &mut facts, &self.loss[callee]);
        self.publish(func, &mut facts, &self.publishes[callee]);
        // An opaque function that calls none of the program's neither begins nor ends atomic sections.
        let entry = self.analysis.program.functions[callee].entry;
        if !is_opaque(self.analysis.program, callee) || !self.calls.callees(callee, entry).is_empty() {
            facts.atomic = exit.facts.atomic;
        }
        if self.alone_inside.contains(&callee) {
            facts.forget_contents();
        }
        let params = &self.analysis.program.functions[callee].params;
        for (term, mode) in &exit.facts.locks {
            let term = match term.root {
                Root::Object(_) | Root::Content(..) => Some(*term),
                Root::Register(var) => {
                    let at = params.iter().position(|param| *param == var);
                    let passed =
                        at.and_then(|at| args.get(at)).and_then(|arg| self.term(func, loc, before, arg));
                    let moved = |passed: Term| passed.offset.wrapping_add(term.offset);
                    passed.map(|passed| Term { offset: moved(passed), ..passed })
                }
            };
            if let Some(term) = term {
                facts.take(term, *mode);
            }
        }
        if let Some(ret) = ret {
            facts.forget(*ret);
            if exit.result_owned {
                facts.owned.insert(*ret);
            }
        }
        self.settle(func, *next, &mut facts);
        Some((*next, facts))
    }

    /// What is known after a call of a function that is not known.
    pub(super) fn after_anything(
        &self,
        func: FuncId,
        next: LocId,
        ret: Option<VarId>,
        before: &Facts,
    ) -> Facts {
        let mut facts = Facts { terms: before.terms.clone(), ..Facts::default() };
        facts.forget_contents();
        ret.into_iter().for_each(|ret| facts.forget(ret));
        self.settle(func, next, &mut facts);
        facts
    }

    /// What callers know when a function returns here.
    pub(super) fn exit(
        &self,
        func: FuncId,
        result: Option<&Expr>,
        facts: &Facts,
        fixed: &BTreeSet<VarId>,
    ) -> Exit {
        let result_owned = result.is_some_and(|result| self.is_owned(func, facts, result));
        let known = |term: &Term| match term.root {
            Root::Object(_) | Root::Content(..) => true,
            Root::Register(var) => fixed.contains(&var),
        };
        let locks = facts.locks.iter().filter(|(term, _)| known(term));
        let locks = locks.map(|(term, mode)| (*term, *mode)).collect();
        Exit { facts: Facts { locks, atomic: facts.atomic, ..Facts::default() }, result_owned }
    }
}

/// What is known where `cond` has turned out to be `outcome`.
fn decided(before: &Facts, cond: &Expr, outcome: bool) -> Facts {
    let mut after = before.clone();
    for (var, (term, mode, busy)) in &before.if_zero {
        if with(cond, *var, *busy).is_some_and(|value| (value != 0) != outcome) {
            after.take(*term, *mode);
        }
    }
    after
}

/// The value of an expression if a register has this value and no other is needed.
fn with(e: &Expr, var: VarId, number: u128) -> Option<u128> {
    Some(match e {
        Expr::Const(constant, _) => *constant,
        Expr::Reg(v, width) if *v == var => width.truncate(number),
        Expr::Unary(op, e) => value::unary(*op, with(e, var, number)?, e.width()),
        Expr::Binary(op, l, r) => value::binary(*op, with(l, var, number)?, with(r, var, number)?, l.width()),
        Expr::Cast(kind, to, e) => value::cast(*kind, with(e, var, number)?, e.width(), *to),
        _ => return None,
    })
}

/// Facts as they come and go.
pub(super) trait Known {
    fn take(&mut self, term: Term, mode: Mode);
    fn forget(&mut self, var: VarId);
    fn forget_contents(&mut self);
    fn meet(&mut self, other: &Facts) -> bool;
}

impl Known for Facts {
    fn take(&mut self, term: Term, mode: Mode) {
        let known = self.locks.entry(term).or_insert(mode);
        *known = (*known).max(mode);
    }

    /// A register gets another value.
    fn forget(&mut self, var: VarId) {
        let gone = |term: &Term| term.root == Root::Register(var);
        self.terms.retain(|of, term| *of != var && !gone(term));
        self.locks.retain(|term, _| !gone(term));
        self.if_zero.retain(|of, (term, ..)| *of != var && !gone(term));
        self.owned.remove(&var);
    }

    fn forget_contents(&mut self) {
        let gone = |term: &Term| matches!(term.root, Root::Content(..));
        self.terms.retain(|_, term| !gone(term));
        self.locks.retain(|term, _| !gone(term));
        self.if_zero.retain(|_, (term, ..)| !gone(term));
    }

    /// What both know; tells whether that is less than before.
    fn meet(&mut self, other: &Facts) -> bool {
        let before = self.clone();
        self.locks.retain(|term, _| other.locks.contains_key(term));
        for (term, mode) in &mut self.locks {
            *mode = (*mode).min(other.locks[term]);
        }
        self.if_zero.retain(|var, fact| other.if_zero.get(var) == Some(fact));
        self.terms.retain(|var, term| other.terms.get(var) == Some(term));
        self.owned.retain(|var| other.owned.contains(var));
        self.atomic &= other.atomic;
        *self != before
    }
}
