//! Checks a proof of termination: invariants, and ranks that fall.
//!
//! # What is claimed
//! [Invariants](crate::invariants) of the controls, and *stages*. The graph that has to be cut up has the runs of threads for nodes, and
//! an arc from a run to each run that can be taken right after it. An infinite execution is an infinite way through it, which from some point on stays
//! in one strongly connected component. A stage takes arcs away that no fair execution takes again and again:
//!
//! - [`Stage::Ranking`]: a number for each run of a component, computed from the state before it (a bit-vector, compared as a signed
//!   number). On no arc of the component does it rise. Then the arcs on which it falls are taken finitely often: there are only
//!   finitely many numbers.
//! - [`Stage::Fairness`]: in a component in which a thread never moves, the runs before which that thread is able to move cannot be
//!   taken again and again by a fair execution (SOUNDNESS: A25).
//!
//! In the end nothing is left in which one could go round.
//!
//! # What is checked
//! 1. The invariants, as for deadlocks: no run without a meaning, nobody blocked in the middle of a run, somebody can always move.
//! 2. Every arc of a component in a stage: can it be taken, does the rank rise, does it fall? Spurious wake-ups happen finitely often, so
//!    that the first of two runs may be assumed to be none.
//!
//! A lexicographic order of ranks, one for each component of what the last one left, is what Alias, Darte, Feautrier and Gonnord (*Multi-dimensional
//! rankings, program termination, and complexity bounds of flowchart programs*, SAS 2010) look for. It needs no transitive closure, unlike a union of
//! well-founded relations (Podelski and Rybalchenko, *Transition invariants*, LICS 2004). That ranks are bounded costs
//! nothing here, because integers are bit-vectors; that they *fall* does: nothing may wrap around.

use crate::invariants;
use crate::tree::{Checker, demand};
use base::{Budget, Inconclusive, scc::cyclic_components};
use evidence::{RankingProof, RunId, Stage};
use logic::path::{Cmd, SymbolicStore, with_equals};
use logic::{Solver, Term};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation};
use std::sync::Arc;

/// The graph of runs, as far as it is left.
struct Graph<'a, 'p> {
    proof: &'a RankingProof,
    checker: Checker<'a, 'p>,
    runs: Vec<RunId>,
    /// The arcs left.
    arcs: Vec<Vec<usize>>,
}

pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &RankingProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    demand(property == Property::Termination, || format!("ranks prove nothing about {property}"))?;
    invariants::check(program, property, &proof.invariants, budget)?;
    let encoder =
        Encoder::with_identities(&semantics::Analysis::of(program), &proof.invariants.steps.identities)?
            .following_waits();
    let checker = Checker::new(program, property, &proof.invariants.steps, encoder, budget);
    let mut graph = Graph::new(proof, checker);
    graph.possible_arcs()?;
    for stage in &proof.stages {
        match stage {
            Stage::Ranking(ranks) => graph.rank(ranks)?,
            Stage::Fairness(thread) => graph.idle(*thread)?,
        }
    }
    demand(graph.components().is_empty(), || "an infinite execution is left".to_owned())
}

impl<'a, 'p> Graph<'a, 'p> {
    /// All runs, and an arc wherever one run begins where another one ends.
    fn new(proof: &'a RankingProof, checker: Checker<'a, 'p>) -> Self {
        let labels = &proof.invariants.labels;
        let number: FxHashMap<&GlobalLocation, usize> =
            labels.iter().enumerate().map(|(n, (control, _))| (&**control, n)).collect();
        let (mut runs, mut ends) = (Vec::new(), Vec::new());
        let mut starting = vec![Vec::new(); labels.len()];
        for (control, (at, _)) in labels.iter().enumerate() {
            for thread in at.movable() {
                let here = proof.invariants.steps.runs.get(&(Arc::clone(at), thread));
                for (run, taken) in here.into_iter().flatten().enumerate() {
                    // Where nothing is claimed nobody comes, as the invariants say.
                    let Some(end) = number.get(&*taken.control) else { continue };
                    starting[control].push(runs.len());
                    runs.push(RunId { control, thread, run });
                    ends.push(*end);
                }
            }
        }
        let arcs = ends.iter().map(|end| starting[*end].clone()).collect();
        Graph { proof, checker, runs, arcs }
    }

    fn components(&self) -> Vec<Vec<usize>> {
        cyclic_components(self.runs.len(), |n| self.arcs[n].clone())
    }

    fn block(&self, n: usize) -> &'a [Cmd] {
        let RunId { control, thread, run } = self.runs[n];
        let at = Arc::clone(&self.proof.invariants.labels[control].0);
        &self.proof.invariants.steps.runs[&(at, thread)][run].block
    }

    /// What holds before a run that is taken, spurious wake-ups aside.
    fn before(&mut self, n: usize) -> Vec<Term> {
        let RunId { control, thread, .. } = self.runs[n];
        let (at, labels) = &self.proof.invariants.labels[control];
        let Checker { encoder, terms, .. } = &mut self.checker;
        let label = terms.or(labels);
        let mut known = terms.conjuncts(label);
        known.extend(encoder.woken(terms, at, thread));
        known
    }

    /// The conditions under which a run is taken and then another one, and the states before and between.
    fn both(&mut self, first: usize, second: usize) -> (Vec<Term>, [SymbolicStore; 2]) {
        let known = self.before(first);
        let (before, mut conditions) = with_equals(&mut self.checker.terms, &known);
        let mut store = before.clone();
        let blocks = (self.block(first), self.block(second));
        conditions.extend(store.run(&mut self.checker.terms, blocks.0));
        let between = store.clone();
        for known in self.before(second) {
            conditions.push(between.apply(&mut self.checker.terms, known));
        }
        conditions.extend(store.run(&mut self.checker.terms, blocks.1));
        (conditions, [before, between])
    }

    fn impossible(&mut self, conditions: &[Term]) -> Result<bool, Inconclusive> {
        let Checker { solver, terms, limits, .. } = &mut self.checker;
        limits.budget.check()?;
        Ok(solver.core(terms, conditions, limits)?.is_some())
    }

    /// Takes away the arcs of components that cannot be taken.
    fn possible_arcs(&mut self) -> Result<(), Inconclusive> {
        for component in self.components() {
            for &first in &component {
                for second in self.arcs[first].clone() {
                    if component.binary_search(&second).is_ok() {
                        let (conditions, _) = self.both(first, second);
                        if self.impossible(&conditions)? {
                            self.arcs[first].retain(|n| *n != second);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes away the arcs on which a rank falls.
    fn rank(&mut self, ranks: &[(RunId, Term)]) -> Result<(), Inconclusive> {
        let ranks: FxHashMap<RunId, Term> = ranks.iter().copied().collect();
        for component in self.components() {
            if !component.iter().any(|n| ranks.contains_key(&self.runs[*n])) {
                continue;
            }
            for &first in &component {
                for second in self.arcs[first].clone() {
                    if component.binary_search(&second).is_ok() && self.falls(&ranks, first, second)? {
                        self.arcs[first].retain(|n| *n != second);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the rank falls on an arc; fails if it can rise.
    fn falls(
        &mut self,
        ranks: &FxHashMap<RunId, Term>,
        first: usize,
        second: usize,
    ) -> Result<bool, Inconclusive> {
        let rank = |n: usize| {
            let missing = || Inconclusive::CheckFailed("a run of a component has no rank".to_owned());
            ranks.get(&self.runs[n]).copied().ok_or_else(missing)
        };
        let (now, then) = (rank(first)?, rank(second)?);
        let (mut conditions, [before, between]) = self.both(first, second);
        let terms = &mut self.checker.terms;
        let (now, then) = (before.apply(terms, now), between.apply(terms, then));
        demand(terms.sort(now) == terms.sort(then), || "ranks of different widths".to_owned())?;
        let (stays, rises) = (terms.sle(now, then), terms.slt(now, then));
        conditions.push(stays);
        if self.impossible(&conditions)? {
            return Ok(true);
        }
        conditions.pop();
        conditions.push(rises);
        let never = self.impossible(&conditions)?;
        demand(never, || "a rank can rise".to_owned())?;
        Ok(false)
    }

    /// Takes away the runs before which an idle thread is able to move.
    fn idle(&mut self, thread: ThreadId) -> Result<(), Inconclusive> {
        for component in self.components() {
            if component.iter().any(|n| self.runs[*n].thread == thread) {
                continue;
            }
            let mut gone = FxHashSet::default();
            for &n in &component {
                if self.is_able(thread, n)? {
                    gone.insert(n);
                }
            }
            for &n in &component {
                let arcs = std::mem::take(&mut self.arcs[n]);
                let keep = |m: &usize| !gone.contains(m) && !gone.contains(&n);
                self.arcs[n] = arcs.into_iter().filter(keep).collect();
            }
        }
        Ok(())
    }

    /// Whether a thread is able to move whenever a run is taken.
    fn is_able(&mut self, thread: ThreadId, n: usize) -> Result<bool, Inconclusive> {
        let at = Arc::clone(&self.proof.invariants.labels[self.runs[n].control].0);
        if !at.movable().any(|t| t == thread) {
            return Ok(false);
        }
        let mut conditions = self.before(n);
        let block = self.block(n);
        let Checker { encoder, terms, .. } = &mut self.checker;
        conditions.extend(SymbolicStore::default().run(terms, block));
        let Some(moves) = encoder.moves(terms, &at, thread) else { return Ok(true) };
        conditions.push(terms.not(moves));
        self.impossible(&conditions)
    }
}
