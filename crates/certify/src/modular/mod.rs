//! Checks a thread-modular proof: RedComp's.
//!
//! # What is claimed
//! 1. **Locks**: at some nodes of some thread templates, words of memory hold the thread's own handle.
//! 2. **Reducible blocks**: a node is outside of blocks, inside before the commit, or inside after it.
//! 3. **Invariants**: a solution of the clauses of [`semantics::modular::clauses`] for these blocks.
//!
//! # What is checked, from the program alone
//! 1. Locks are an invariant of the threads *without* any blocks: no lock is held at the start; every action of the thread itself keeps the
//!    claim, and so does every action of every other thread (of other instances, for a replicated template).
//! 2. Into a pre-commit node lead only right-movers, from outside or from pre-commit nodes. From a post-commit node lead
//!    only left-movers, to post-commit nodes, outside, or the thread's end; one of them can always be taken, and they form no cycle.
//!    Movers are checked by [exchanging](crate::commute) every pair of actions that has a variable in common, from states in which both threads are
//!    where they are and hold what they hold.
//! 3. The clauses are generated afresh, and each one must be a valid implication.
//!
//! # Why that suffices
//! Take an execution that violates the property, and make it as short as possible. Its right-movers before a commit that never comes can be
//! dropped; all other blocks can be made contiguous by exchanging neighbours, after completing those that are past their commit (left-movers
//! that can always be taken, finitely many). What results is an execution block by block, and the invariants hold at the ends of blocks by
//! induction; so does the contradiction at its end.
//!
//! The check has its own solver, pool of terms and search for commuting pairs. It shares with the engine what actions mean, how a program is taken apart into
//! threads, and how clauses are made from blocks (`semantics`). Therefore:
//!
//! 4. The invariants are compared with executions of the interpreter, which shares none of that ([`executions`]).

mod executions;
mod ranking;

pub(crate) use ranking::check as check_ranking;

use crate::CheckedSolver;
use crate::commute::{Accesses, Exchange, commute};
use crate::{demand, failed};
use base::{Budget, Inconclusive};
use evidence::{CommitPhase, ModularProof, ModularStage};
use executions::Claims;
use logic::chc::Solution;
use logic::path::{Cmd, SymbolicStore, valid};
use logic::{Limits, Solver, Symbol, Term, Terms};
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, SuccessorKind};
use semantics::modular::{
    Blocks, Edge, HeldLocks, Model, POSITION_WIDTH, PerNode, Target, TemplateId, TemplateNodeId, Waiting,
    blocks, holds, rule,
};
use std::collections::BTreeSet;

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &ModularProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    check_with(program, property, proof, None, budget)
}

fn check_with(
    program: &Program,
    property: Property,
    proof: &ModularProof,
    stages: Option<&[ModularStage]>,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let mut terms = Terms::new();
    let analysis = semantics::Analysis::of(program);
    let mut encoder = Encoder::with_identities(&analysis, &proof.identities)?.checking(property);
    demand(!property.is_about_leaks() && encoder.mortal_shared_site().is_none(), || {
        "which objects are alive is not known to a thread-modular proof".to_owned()
    })?;
    let model = Model::of(&mut encoder, &mut terms)?;
    let limits = Limits::of(budget);
    has_shape(&model, proof)?;
    let locks = read_locks(&terms, proof)?;
    let mut checker = Checker::new(&model, proof, locks, &mut terms, &limits);
    let handles = checker.handles;
    if stages.is_some() || proof.commit_phases.iter().flatten().any(|phase| *phase != CommitPhase::Outside) {
        checker.locks()?;
        checker.blocks()?;
    }
    if stages.is_some() {
        checker.no_thread_is_blocked_for_ever()?;
    }
    let blocks = Blocks::of(&model, CommitPhase::outside(&proof.commit_phases));
    let rule = rule(&model, &blocks, &mut terms, property);
    let formulas = proof.formulas.rebuild(&mut terms).map_err(Inconclusive::CheckFailed)?;
    let solution: Result<Solution, _> = proof.solution.iter().map(|id| formulas.get(*id)).collect();
    let solution = solution.map_err(Inconclusive::CheckFailed)?;
    crate::horn::check_solution(&rule.system, &mut terms, &solution, &limits)?;
    if let Some(stages) = stages {
        let stages: Result<Vec<ModularStage<Term>>, _> =
            stages.iter().map(|stage| ranking::rebuild(stage, &formulas)).collect();
        ranking::check_stages(&model, &blocks, &rule, &solution, &stages?, &mut terms, &limits)?;
    }
    let (encoder, model, blocks, rule, solution) = (&encoder, &model, &blocks, &rule, &solution);
    let claims = Claims { encoder, model, blocks, rule, solution, terms: &terms, facts: handles, property };
    executions::check(&claims, budget)
}

/// Commit phases and locks are given for every node of every template.
fn has_shape(model: &Model, proof: &ModularProof) -> Result<(), Inconclusive> {
    let n_nodes: Vec<usize> = model.templates.iter().map(|c| c.nodes.len()).collect();
    let same = proof.commit_phases.iter().map(PerNode::len).eq(n_nodes.iter().copied())
        && proof.locks.iter().map(PerNode::len).eq(n_nodes.iter().copied());
    demand(same, || "the proof is about other threads".to_owned())
}

/// The variables of the locks, by template and node.
fn read_locks(terms: &Terms, proof: &ModularProof) -> Result<HeldLocks, Inconclusive> {
    let variable = |name: &String| {
        let known = terms.known_var(name).and_then(|x| terms.as_var(x));
        known.ok_or_else(|| failed(&format!("there is no lock {name}")))
    };
    let node = |locks: &BTreeSet<String>| locks.iter().map(variable).collect();
    proof.locks.iter().map(|nodes| nodes.iter().map(node).collect()).collect()
}

/// Two blocks and what is given.
type Pair = (Vec<Cmd>, Vec<Cmd>, Vec<Term>);

struct Checker<'a> {
    model: &'a Model,
    proof: &'a ModularProof,
    /// The locks that are held, by template and node.
    locks: HeldLocks,
    terms: &'a mut Terms,
    solver: CheckedSolver,
    limits: &'a Limits,
    handles: Term,
    /// Pairs of blocks, with what is given, that were exchanged before.
    exchanged: FxHashMap<Pair, bool>,
}

/// An action of a thread at a node.
#[derive(Clone, Copy)]
struct At<'a> {
    template: TemplateId,
    node: TemplateNodeId,
    edge: &'a Edge,
}

impl<'a> Checker<'a> {
    fn new(
        model: &'a Model,
        proof: &'a ModularProof,
        locks: HeldLocks,
        terms: &'a mut Terms,
        limits: &'a Limits,
    ) -> Self {
        let handles = model.handle_facts(terms);
        let solver = CheckedSolver::new();
        Checker { model, proof, locks, terms, solver, limits, handles, exchanged: FxHashMap::default() }
    }
}

impl Checker<'_> {
    fn holds(&mut self, template: TemplateId, lock: Symbol) -> Result<Term, Inconclusive> {
        let held = holds(self.terms, &self.model.templates[template], lock);
        held.ok_or_else(|| failed("a lock is no word"))
    }

    fn held(&mut self, template: TemplateId, node: TemplateNodeId) -> Result<Term, Inconclusive> {
        let mut facts = Vec::new();
        for lock in self.locks[template][node].clone() {
            facts.push(self.holds(template, lock)?);
        }
        Ok(self.terms.and(&facts))
    }

    /// No thread is blocked for ever in an execution with finitely many steps, as far as the locks tell.
    fn no_thread_is_blocked_for_ever(&mut self) -> Result<(), Inconclusive> {
        let Checker { model, locks, terms, solver, limits, .. } = self;
        let blocked = Waiting { model, locks, terms, solver, limits }.blocked_for_ever()?;
        blocked.map_or(Ok(()), |why| Err(Inconclusive::CheckFailed(why)))
    }

    /// The variables of another instance of a template.
    fn rename(&mut self, template: TemplateId) -> FxHashMap<Symbol, Term> {
        let mut map = FxHashMap::default();
        for x in &self.model.templates[template].locals {
            let (name, sort) =
                (format!("{}'second", self.terms.name(*x)), self.terms.sort(self.terms.var_of(*x)));
            map.insert(*x, self.terms.var(&name, sort));
        }
        map
    }

    fn renamed(&mut self, block: &[Cmd], map: &FxHashMap<Symbol, Term>) -> Vec<Cmd> {
        let symbol = |terms: &Terms, x: Symbol| map.get(&x).and_then(|t| terms.as_var(*t)).unwrap_or(x);
        let mut result = Vec::new();
        for cmd in block {
            result.push(match *cmd {
                Cmd::Assume(guard) => Cmd::Assume(self.terms.substitute(guard, map)),
                Cmd::Assign(x, value) => {
                    let value = self.terms.substitute(value, map);
                    Cmd::Assign(symbol(self.terms, x), value)
                }
                Cmd::Havoc(x) => Cmd::Havoc(symbol(self.terms, x)),
            });
        }
        result
    }

    // ---- 1. locks -------------------------------------------------------------------------------------------

    fn locks(&mut self) -> Result<(), Inconclusive> {
        let model = self.model;
        for (c, template) in model.templates.iter_enumerated() {
            demand(self.locks[c][TemplateNodeId::START].is_empty(), || {
                format!("{} starts with a lock", template.name)
            })?;
            for (n, node) in template.nodes.iter_enumerated() {
                for edge in &node.edges {
                    if let Target::TemplateNode(m) = edge.target {
                        self.keeps_own(At { template: c, node: n, edge }, m)?;
                    }
                }
            }
            // Which sets of locks are claimed together does not matter: each lock is a claim of its own.
            let all: BTreeSet<Symbol> = self.locks[c].iter().flatten().copied().collect();
            for lock in all {
                self.keeps_others(c, lock)?;
            }
        }
        Ok(())
    }

    fn keeps_own(&mut self, at: At<'_>, to: TemplateNodeId) -> Result<(), Inconclusive> {
        let given = self.held(at.template, at.node)?;
        let goal = self.held(at.template, to)?;
        let pre = self.terms.and2(given, self.handles);
        let kept = valid(&mut self.solver, self.terms, pre, &at.edge.block, goal, self.limits)?;
        demand(kept, || format!("{} does not hold its locks at {to}", self.model.templates[at.template].name))
    }

    fn keeps_others(&mut self, c: TemplateId, lock: Symbol) -> Result<(), Inconclusive> {
        let model = self.model;
        for (k, other) in model.templates.iter_enumerated() {
            if k == c && !other.replicated {
                continue;
            }
            let map = if k == c { self.rename(k) } else { FxHashMap::default() };
            for (n, node) in other.nodes.iter_enumerated() {
                for edge in &node.edges {
                    let changes = edge
                        .block
                        .iter()
                        .any(|cmd| matches!(cmd, Cmd::Assign(x, _) | Cmd::Havoc(x) if *x == lock));
                    if changes {
                        let claim = self.holds(c, lock)?;
                        let theirs = self.held(k, n)?;
                        let mut given = vec![claim, self.terms.substitute(theirs, &map), self.handles];
                        given.push(self.terms.substitute(self.handles, &map));
                        given.push(self.two(c, k, &map));
                        let pre = self.terms.and(&given);
                        let block = self.renamed(&edge.block, &map);
                        let kept = valid(&mut self.solver, self.terms, pre, &block, claim, self.limits)?;
                        demand(kept, || {
                            format!("{} takes a lock of {}", other.name, model.templates[c].name)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// That threads of two templates are different ones.
    fn two(&mut self, c: TemplateId, k: TemplateId, map: &FxHashMap<Symbol, Term>) -> Term {
        let (one, other) = (&self.model.templates[c], &self.model.templates[k]);
        if !(one.replicated && other.replicated) {
            return self.terms.tt();
        }
        let handle = self.terms.substitute(other.handle, map);
        self.model.different(self.terms, one.handle, handle)
    }

    // ---- 2. blocks ------------------------------------------------------------------------------------------

    fn blocks(&mut self) -> Result<(), Inconclusive> {
        let model = self.model;
        for (c, template) in model.templates.iter_enumerated() {
            let phases = &self.proof.commit_phases[c];
            demand(phases[TemplateNodeId::START] == CommitPhase::Outside, || {
                format!("{} starts inside a block", template.name)
            })?;
            let not_after: PerNode<bool> =
                phases.iter().map(|phase| *phase != CommitPhase::PostCommit).collect();
            demand(blocks::loop_heads(template, &not_after).is_empty(), || {
                format!("a block of {} may continue for ever after its commit", template.name)
            })?;
            let mut reached: PerNode<bool> = PerNode::of(false, template.nodes.len());
            let mut open = vec![TemplateNodeId::START];
            while let Some(n) = open.pop() {
                if std::mem::replace(&mut reached[n], true) {
                    continue;
                }
                self.limits.budget.check()?;
                for edge in &template.nodes[n].edges {
                    let at = At { template: c, node: n, edge };
                    if self.may_be_taken(at)? {
                        self.edge(at)?;
                        open.extend(if let Target::TemplateNode(m) = edge.target { Some(m) } else { None });
                    }
                }
                if phases[n] == CommitPhase::PostCommit {
                    self.can_continue(c, n)?;
                }
            }
        }
        Ok(())
    }

    /// Returns true if the locks that are held at its node allow an edge.
    fn may_be_taken(&mut self, at: At<'_>) -> Result<bool, Inconclusive> {
        let held = self.held(at.template, at.node)?;
        let (given, never) = (self.terms.and2(held, self.handles), self.terms.ff());
        Ok(!valid(&mut self.solver, self.terms, given, &at.edge.block, never, self.limits)?)
    }

    fn edge(&mut self, at: At<'_>) -> Result<(), Inconclusive> {
        let phases = &self.proof.commit_phases[at.template];
        let (from, name) = (phases[at.node], &self.model.templates[at.template].name);
        let to = if let Target::TemplateNode(m) = at.edge.target { Some(phases[m]) } else { None };
        if to == Some(CommitPhase::PreCommit) {
            demand(from != CommitPhase::PostCommit && at.edge.creates.is_empty(), || {
                format!("{name}: a block begins inside a block at {}", at.node)
            })?;
            self.mover(at, true)?;
        }
        if from == CommitPhase::PostCommit {
            demand(to.is_some() || at.edge.target == Target::Finished, || {
                format!("{name}: the end of the program after a commit, at {}", at.node)
            })?;
            self.mover(at, false)?;
        }
        Ok(())
    }

    /// From a node after the commit, in every state, some edge can be taken whatever the inputs are.
    fn can_continue(&mut self, c: TemplateId, n: TemplateNodeId) -> Result<(), Inconclusive> {
        let mut cases = Vec::new();
        for edge in &self.model.templates[c].nodes[n].edges {
            let mut store = SymbolicStore::default();
            let conditions = store.run(self.terms, &edge.block);
            let condition = self.terms.and(&conditions);
            let inputs: FxHashSet<Symbol> =
                store.havocs().iter().filter_map(|t| self.terms.as_var(*t)).collect();
            if self.terms.free_vars(condition).iter().all(|x| !inputs.contains(x)) {
                cases.push(condition);
            }
        }
        let some = self.terms.or(&cases);
        let held = self.held(c, n)?;
        let given = self.terms.and2(held, self.handles);
        let continues = self.solver.implies(self.terms, given, some, self.limits)?;
        demand(continues, || format!("{} may block after a commit at {n}", self.model.templates[c].name))
    }

    fn mover(&mut self, at: At<'_>, right: bool) -> Result<(), Inconclusive> {
        let model = self.model;
        let globals: FxHashSet<Symbol> = model.globals.iter().copied().collect();
        let shared = |terms: &Terms, block: &[Cmd]| -> FxHashSet<Symbol> {
            let Accesses { reads, writes } = Accesses::of(terms, block);
            reads.union(&writes).filter(|x| globals.contains(x)).copied().collect()
        };
        let mine = shared(self.terms, &at.edge.block);
        if mine.is_empty() {
            return Ok(());
        }
        for (k, other) in model.templates.iter_enumerated() {
            if k == at.template && !other.replicated {
                continue;
            }
            let map = if k == at.template { self.rename(k) } else { FxHashMap::default() };
            for (n, node) in other.nodes.iter_enumerated() {
                for edge in &node.edges {
                    if model.may_meet((at.template, at.node), (k, n))
                        && !shared(self.terms, &edge.block).is_disjoint(&mine)
                    {
                        let commutes = self.commutes(at, At { template: k, node: n, edge }, &map, right)?;
                        demand(commutes, || {
                            let name = &model.templates[at.template].name;
                            format!("{name} at {} does not commute with {} at {n}", at.node, other.name)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns true if `one` and then `other` (in the opposite order, if not `right`) can be exchanged.
    fn commutes(
        &mut self,
        one: At<'_>,
        other: At<'_>,
        map: &FxHashMap<Symbol, Term>,
        right: bool,
    ) -> Result<bool, Inconclusive> {
        let theirs = self.held(other.template, other.node)?;
        let mut given = vec![self.held(one.template, one.node)?, self.terms.substitute(theirs, map)];
        given.push(self.terms.substitute(self.handles, map));
        given.push(self.two(one.template, other.template, map));
        for at in [one, other] {
            if let Some(position) = self.model.templates[at.template].position {
                let now = self.terms.var_of(position);
                let there = self.terms.constant(at.node.position(), POSITION_WIDTH);
                given.push(self.terms.eq(now, there));
            }
        }
        let block = self.renamed(&other.edge.block, map);
        let (first, second) =
            if right { (one.edge.block.clone(), block) } else { (block, one.edge.block.clone()) };
        let (first_edge, second_edge) = if right { (one.edge, other.edge) } else { (other.edge, one.edge) };
        // After the end of the program nothing is violated: no execution that has to be rearranged contains it.
        let ends = |edge: &Edge| edge.target == Target::Stops(SuccessorKind::Ended);
        if ends(first_edge) || ends(second_edge) {
            return Ok(true);
        }
        if let Target::Stops(_) = first_edge.target {
            return self.stays_possible(&first, &second, &given);
        }
        let key = (first, second, given);
        if let Some(known) = self.exchanged.get(&key) {
            return Ok(*known);
        }
        let stops = matches!(second_edge.target, Target::Stops(_));
        let commutes = self.exchange(&key.0, &key.1, &key.2, stops)?;
        self.exchanged.insert(key, commutes);
        Ok(commutes)
    }

    /// Returns true if an error that can happen can happen after `step`, too: a block in the middle of which it happens is completed before it.
    fn stays_possible(&mut self, error: &[Cmd], step: &[Cmd], given: &[Term]) -> Result<bool, Inconclusive> {
        if error.iter().any(|c| matches!(c, Cmd::Havoc(_)) && step.contains(c)) {
            return Ok(false);
        }
        let mut stepped = SymbolicStore::default();
        let mut assumed = given.to_vec();
        assumed.push(self.handles);
        assumed.extend(stepped.run(self.terms, step));
        assumed.extend(SymbolicStore::default().run(self.terms, error));
        let wanted = stepped.run(self.terms, error);
        let (assumed, wanted) = (self.terms.and(&assumed), self.terms.and(&wanted));
        self.solver.implies(self.terms, assumed, wanted, self.limits)
    }

    /// Returns true if two blocks can be exchanged where `given` holds.
    fn exchange(
        &mut self,
        first: &[Cmd],
        second: &[Cmd],
        given: &[Term],
        second_stops: bool,
    ) -> Result<bool, Inconclusive> {
        let mut given = given.to_vec();
        given.push(self.handles);
        let exchange = Exchange { given: &given, first, second, second_stops };
        commute(&mut self.solver, self.terms, &exchange, self.limits)
    }
}
