//! Labels for a graph without a path to the error: interpolants of a DAG, without quantifier elimination.
//!
//! Nodes are labelled in topological order. When `v` is labelled, the labels before its edges are known, and they leave no path
//! to the error: the states behind the edges (call them `A`) do not meet `R(v)` ("from here a path reaches the error"). Wanted is
//! something over the state variables that `A` implies and that contradicts `R(v)`. It is built from *facts*:
//!
//! ```text
//! facts = ∅
//! while some path σ from v, from a state that satisfies the facts, reaches the error:
//!     add a fact that A implies and that rules out σ
//! drop facts that are not needed
//! ```
//!
//! A fact comes from the interpolants of one path, an edge into `v` followed by σ ([`logic::interpolate`]: Farkas, weakest
//! preconditions, strongest postconditions), of which several are candidates. It must hold after *all* edges into `v`; a candidate that also survives
//! another iteration of the loop at `v` comes first, since covers are what all this is for, and disjuncts that it can do without are dropped. If no
//! candidate holds everywhere, the candidates of several edges are disjoined; then come bounds of single variables (`templates`), and the exact weakest
//! precondition of σ is the last resort.
//!
//! At the head of a loop an inductive choice among the facts is preferred (`inductive`). Before all that, the label of another iteration of the same loop is tried: if it holds here, the loop is closed.
//!
//! # Direction of error
//! Every label is implied by the labels before it, edge by edge, and leaves no path to the error; both are checked by the solver.

use super::arg::{ArgEdge, NodeId, START};
use super::interrupt::Interrupt;
use super::partition::{PartitionedLocationId, TracePartition};
use super::refine::{ArgCond, Stage};
use super::{Post, Ufo};
use logic::interpolate::weakest_precondition;
use logic::path::{Block, Cmd};
use logic::{Answer, Op, Solver, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum number of labels of other iterations that are tried for a node.
const MAX_TRIED: usize = 3;
/// Edges whose candidates are disjoined.
const MAX_JOINED: usize = 12;
/// Questions spent on dropping facts from one label, after the solver's core has named those that matter.
pub(super) const MAX_DROPS: usize = 8;
/// Facts with more disjuncts are not generalised.
const MAX_DISJUNCTS: usize = 40;
/// Hints kept for one node.
const MAX_HINTS: usize = 24;
/// Larger terms are no facts worth to be tried on other nodes.
const MAX_FACT: usize = 300;

/// The edges into a node, each with the label before it.
pub(super) type Entries = Vec<(Term, ArgEdge)>;

impl Ufo<'_> {
    /// New labels for all nodes that `cond` is about; the others have none.
    pub(super) fn dag_interpolants(&mut self, cond: &ArgCond) -> Result<(), Interrupt> {
        let mut labels: FxHashMap<NodeId, Term> = FxHashMap::from_iter([(START, self.terms.tt())]);
        let mut iterations: FxHashMap<PartitionedLocationId, Vec<Term>> = FxHashMap::default();
        self.hints.clear();
        for v in self.arg.in_order() {
            self.go_on()?;
            if v == START || !cond.reach.contains_key(&v) {
                continue;
            }
            let entries = self.entries(v, &labels)?;
            let location = self.arg.nodes[v].location;
            let mut tried: Vec<Term> =
                iterations.get(&location).into_iter().flatten().rev().copied().collect();
            tried.extend(self.arg.nodes[v].label);
            tried.dedup();
            tried.truncate(MAX_TRIED);
            let label = match entries.is_empty() {
                true => self.terms.ff(),
                false => self.label(cond, v, &entries, &tried)?,
            };
            labels.insert(v, label);
            iterations.entry(location).or_default().push(label);
        }
        for v in self.arg.nodes.ids() {
            self.arg.nodes[v].label = labels.get(&v).copied();
            self.mine(v);
        }
        Ok(())
    }

    /// The edges into `v` that can be taken.
    fn entries(&mut self, v: NodeId, labels: &FxHashMap<NodeId, Term>) -> Result<Entries, Interrupt> {
        let mut entries = Entries::new();
        for (u, n) in self.arg.nodes[v].ins.clone() {
            let edge = self.arg.edges(u)[n].clone();
            let pre = *labels.get(&u).expect("what leads to a labelled node should be labelled");
            if self.can_take(pre, &edge)? {
                entries.push((pre, edge));
            }
        }
        Ok(entries)
    }

    fn label(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        entries: &Entries,
        tried: &[Term],
    ) -> Result<Term, Interrupt> {
        if self.reaches(cond, v, &[])?.is_none() {
            return Ok(self.terms.tt());
        }
        for &label in tried {
            let parts = self.terms.conjuncts(label);
            if self.terms.as_bool(label).is_none()
                && self.after_each(entries, &parts)?.len() == parts.len()
                && self.reaches(cond, v, &parts)?.is_none()
            {
                return Ok(label);
            }
        }
        let mut hints: Vec<Term> = tried.iter().flat_map(|l| self.terms.conjuncts(*l)).collect();
        hints.extend(self.hints.remove(&v).unwrap_or_default());
        hints.sort_unstable();
        hints.dedup();
        let mut facts = self.after_each(entries, &hints)?;
        if !self.orders.in_loop(&self.arg.nodes[v].position) {
            let need = cond.need.get(&v).cloned().unwrap_or_default();
            facts.extend(self.constants(entries, &need)?);
        }
        while let Some(stages) = self.reaches(cond, v, &facts)? {
            self.go_on()?;
            let fact = self.fact(v, entries, &stages, &facts)?;
            self.stats.facts += 1;
            facts.extend(self.terms.conjuncts(fact));
        }
        match self.inductive(cond, v, entries, &facts)? {
            Some(label) => Ok(label),
            None => self.drop_needless(cond, v, facts),
        }
    }

    /// The facts that hold after all of these edges.
    pub(super) fn after_each(&mut self, entries: &Entries, facts: &[Term]) -> Result<Vec<Term>, Interrupt> {
        let mut kept = Vec::new();
        for &fact in facts {
            if self.after_all(entries, fact)? {
                kept.push(fact);
            }
        }
        Ok(kept)
    }

    /// Returns true if a fact holds after all of these edges.
    fn after_all(&mut self, entries: &Entries, fact: Term) -> Result<bool, Interrupt> {
        for (pre, edge) in entries {
            if !self.holds(*pre, edge, fact)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Something that holds after all edges into `v` and rules out the path.
    fn fact(
        &mut self,
        v: NodeId,
        entries: &Entries,
        stages: &[Stage],
        facts: &[Term],
    ) -> Result<Term, Interrupt> {
        let suffix: Block = stages.iter().flat_map(Stage::commands).collect();
        let nothing = self.terms.ff();
        let mut joined = nothing;
        for _ in 0..MAX_JOINED {
            // An edge after which what we have does not hold.
            let Some((pre, prefix)) = self.escape(entries, joined)? else { break };
            let candidates = self.candidates(pre, prefix, stages)?;
            if let Some(best) = self.best(v, entries, &candidates, facts)? {
                return self.generalise(v, entries, best, facts);
            }
            let Some(&first) = candidates.first() else { break };
            joined = self.terms.or2(joined, first);
        }
        if self.after_all(entries, joined)? {
            return self.generalise(v, entries, joined, facts);
        }
        if let Some(simple) = self.templates(entries, &suffix, facts)? {
            return Ok(simple);
        }
        let exact =
            weakest_precondition(&mut self.terms, &suffix, nothing).ok_or(Interrupt::AttemptGivenUp)?;
        if !self.after_all(entries, exact)? {
            return Err(Interrupt::AttemptGivenUp);
        }
        self.generalise(v, entries, exact, facts)
    }

    /// Interpolants of one path, at `v`; those further down are kept as hints for the nodes there.
    fn candidates(&mut self, pre: Term, prefix: Block, stages: &[Stage]) -> Result<Vec<Term>, Interrupt> {
        let mut path = vec![prefix];
        path.extend(stages.iter().map(|s| s.commands().collect()));
        let nothing = self.terms.ff();
        let (solver, terms) = (&mut self.solver, &mut self.terms);
        let found = self.interpolator.all_interpolants(solver, terms, pre, &path, nothing, &self.effort)?;
        let mut candidates = Vec::new();
        for interpolants in found {
            let here = stages.first().map(|s| Rc::clone(&s.edge.block.partition)).unwrap_or_default();
            candidates.push(self.within(&here, interpolants.labels[1]));
            for (stage, &label) in stages.iter().zip(&interpolants.labels[2..]) {
                if let Some(w) = stage.edge.to {
                    self.hint(w, label);
                }
            }
        }
        Ok(candidates)
    }

    fn hint(&mut self, w: NodeId, label: Term) {
        let partition = Rc::clone(self.locations.partition(self.arg.nodes[w].location));
        let label = self.within(&partition, label);
        let hints = self.hints.entry(w).or_default();
        for part in self.terms.conjuncts(label) {
            let small = self.terms.as_bool(part).is_none() && self.terms.size(part) <= MAX_FACT;
            if small && hints.len() < MAX_HINTS && !hints.contains(&part) {
                hints.push(part);
            }
        }
    }

    /// What a term says in a partition.
    fn within(&mut self, partition: &TracePartition, term: Term) -> Term {
        let values = partition.iter().copied().collect();
        self.terms.substitute(term, &values)
    }

    /// An edge that leads out of `post`, and the actions that it takes there.
    fn escape(&mut self, entries: &Entries, post: Term) -> Result<Option<(Term, Vec<Cmd>)>, Interrupt> {
        for (pre, edge) in entries {
            let assumptions = self.outside(*pre, edge, post);
            let Answer::Sat(model) = self.solver.check(&self.terms, &assumptions, &self.effort)? else {
                continue;
            };
            let path = edge.block.path(&self.terms, &model, edge.key.2);
            if let Some(path) = path {
                return Ok(Some((*pre, edge.block.enter().chain(path.concat()).collect())));
            }
        }
        Ok(None)
    }

    /// The first candidate that holds after all edges and survives another iteration; if there is none, the first that holds.
    fn best(
        &mut self,
        v: NodeId,
        entries: &Entries,
        candidates: &[Term],
        facts: &[Term],
    ) -> Result<Option<Term>, Interrupt> {
        let mut first = None;
        for &candidate in candidates {
            if self.terms.size(candidate) > MAX_FACT || !self.after_all(entries, candidate)? {
                continue;
            }
            if self.survives(v, candidate, facts)? {
                return Ok(Some(candidate));
            }
            first = first.or(Some(candidate));
        }
        Ok(first)
    }

    /// The fact without disjuncts that it can do without.
    fn generalise(
        &mut self,
        v: NodeId,
        entries: &Entries,
        fact: Term,
        facts: &[Term],
    ) -> Result<Term, Interrupt> {
        let mut parts = self.terms.disjuncts(fact);
        if parts.len() < 2 || parts.len() > MAX_DISJUNCTS {
            return Ok(fact);
        }
        let survives = self.survives(v, fact, facts)?;
        let mut at = 0;
        while at < parts.len() && parts.len() > 1 {
            let mut fewer = parts.clone();
            fewer.remove(at);
            let stronger = self.terms.or(&fewer);
            let fine =
                self.after_all(entries, stronger)? && (!survives || self.survives(v, stronger, facts)?);
            if fine { parts = fewer } else { at += 1 }
        }
        Ok(self.terms.or(&parts))
    }

    /// The conjunction of those facts that are needed to rule out all paths.
    fn drop_needless(&mut self, cond: &ArgCond, v: NodeId, facts: Vec<Term>) -> Result<Term, Interrupt> {
        let mut facts = self.needed(cond, v, &facts)?.unwrap_or(facts);
        let mut at = 0;
        for _ in 0..MAX_DROPS {
            if at >= facts.len() {
                break;
            }
            let mut fewer = facts.clone();
            fewer.remove(at);
            match self.needed(cond, v, &fewer)? {
                // The smaller core keeps the order, so everything before `at` is still needed.
                Some(core) => facts = core,
                None => at += 1,
            }
        }
        Ok(self.terms.and(&facts))
    }

    /// Predicates of a control are what its labels are made of: conjuncts, and for the Boolean abstraction their atoms too. With
    /// the conjuncts among them, every POST is as strong as the label, so what was refined stays refined.
    fn mine(&mut self, v: NodeId) {
        if self.options.post == Post::None {
            return;
        }
        let Some(label) = self.arg.nodes[v].label else { return };
        let location = self.arg.nodes[v].location;
        for part in self.terms.conjuncts(label) {
            let mut predicates = vec![part];
            if self.options.post == Post::Boolean {
                predicates.extend(self.terms.disjuncts(part));
            }
            for predicate in predicates {
                let is_negated = self.terms.op(predicate) == Op::Not;
                let predicate = if is_negated { self.terms.kid(predicate, 0) } else { predicate };
                let known = self.predicates.entry(location).or_default();
                if self.terms.as_bool(predicate).is_none() && !known.contains(&predicate) {
                    known.push(predicate);
                }
            }
        }
    }
}
