//! Abstract inference: facts that are sets of known formulas, closed under the clauses.
//!
//! # Invariants
//! - A fact's formulas all hold of everything it stands for: each one is implied by the body that it was inferred from.
//! - A fact is *needed* unless another fact of its predicate says no more than it. Only needed facts are used in bodies, so when the
//!   queue is empty the needed facts are closed: what follows from a fact that is not needed follows from the one that replaced it.
//! - What the solver said of a body is kept over refinements: bodies are terms, and terms are the same if they look the same.

use super::{Atom, PredId, Solution, System};
use crate::{Answer, Embedded, Limits, Model, Solver, Term, Terms, Value};
use base::{Idx, IdxVec, Inconclusive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

base::id_type!(
    /// An abstract fact.
    FactId,
    "f"
);

/// An abstract fact.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Whose.
    pub pred: PredId,
    /// The formulas, over the parameters; ordered.
    pub formulas: Vec<Term>,
    /// The clause that it was inferred by.
    pub clause: usize,
    /// The facts of that clause's body.
    pub premises: Vec<FactId>,
    /// True if no other fact says less.
    needed: bool,
}

/// A query whose body is allowed.
pub struct Fired {
    /// The query.
    pub clause: usize,
    /// The facts of its body.
    pub premises: Vec<FactId>,
}

/// What is known of a body.
struct Body {
    /// A model; `None` if the body is impossible.
    model: Option<Model>,
    /// Of each formula over the head's parameters, whether it follows.
    follows: FxHashMap<Term, bool>,
}

/// The facts.
pub struct Abstraction<'s> {
    system: &'s System,
    /// Formulas to look for, by predicate.
    predicates: IdxVec<PredId, Vec<Term>>,
    facts: IdxVec<FactId, Fact>,
    by_pred: IdxVec<PredId, Vec<FactId>>,
    /// The clauses with an atom of a predicate in the body, and where.
    uses: IdxVec<PredId, Vec<(usize, usize)>>,
    bodies: FxHashMap<(usize, Vec<Term>), Body>,
    /// How often predicates were added.
    pub n_refinements: u64,
}

impl<'s> Abstraction<'s> {
    /// No facts, and no formulas to look for.
    pub fn new(system: &'s System) -> Self {
        let n = system.predicates.len();
        let mut uses: IdxVec<PredId, Vec<(usize, usize)>> = (0..n).map(|_| Vec::new()).collect();
        for (c, clause) in system.clauses.iter().enumerate() {
            for (at, atom) in clause.body.iter().enumerate() {
                uses[atom.pred].push((c, at));
            }
        }
        Self {
            system,
            predicates: (0..n).map(|_| Vec::new()).collect(),
            facts: IdxVec::new(),
            by_pred: (0..n).map(|_| Vec::new()).collect(),
            uses,
            bodies: FxHashMap::default(),
            n_refinements: 0,
        }
    }

    /// A formula to look for, in a predicate and in those of its family that have the same parameters; whether it is new somewhere.
    pub fn add_predicate(&mut self, terms: &Terms, pred: PredId, formula: Term) -> bool {
        if terms.as_bool(formula).is_some() {
            return false;
        }
        let mentioned = terms.free_vars(formula);
        let family = self.system.predicates[pred].family;
        let mut any = false;
        for other in self.system.predicates.ids() {
            let declared = &self.system.predicates[other];
            let fits = other == pred
                || declared.family == family && mentioned.iter().all(|x| declared.params.contains(x));
            if fits && !self.predicates[other].contains(&formula) {
                self.predicates[other].push(formula);
                any = true;
            }
        }
        any
    }

    /// How many facts there are.
    pub fn n_facts(&self) -> u64 {
        self.facts.len() as u64
    }

    /// How many formulas are looked for.
    pub fn n_predicates(&self) -> u64 {
        self.predicates.iter().map(|list| list.len() as u64).sum()
    }

    /// A fact.
    pub fn fact(&self, id: FactId) -> &Fact {
        &self.facts[id]
    }

    /// Infers everything anew; stops at a query whose body is allowed.
    pub fn infer(
        &mut self,
        terms: &mut Terms,
        solver: &mut Embedded,
        limits: &Limits,
    ) -> Result<Option<Fired>, Inconclusive> {
        self.facts = IdxVec::new();
        self.by_pred.iter_mut().for_each(Vec::clear);
        let mut queue: VecDeque<FactId> = VecDeque::new();
        let system = self.system;
        for (c, clause) in system.clauses.iter().enumerate() {
            if clause.body.is_empty()
                && let Some(fired) = self.apply(terms, solver, limits, c, Vec::new(), &mut queue)?
            {
                return Ok(Some(fired));
            }
        }
        while let Some(fact) = queue.pop_front() {
            if !self.facts[fact].needed {
                continue;
            }
            for (c, at) in self.uses[self.facts[fact].pred].clone() {
                for premises in self.combinations(c, at, fact) {
                    if let Some(fired) = self.apply(terms, solver, limits, c, premises, &mut queue)? {
                        return Ok(Some(fired));
                    }
                }
            }
        }
        Ok(None)
    }

    /// All bodies of a clause that have `fact` at position `at` and older facts (or itself) elsewhere.
    fn combinations(&self, clause: usize, at: usize, fact: FactId) -> Vec<Vec<FactId>> {
        let mut all: Vec<Vec<FactId>> = vec![Vec::new()];
        for (n, atom) in self.system.clauses[clause].body.iter().enumerate() {
            // Before `at` strictly older facts only, so that no combination comes twice.
            let choices: Vec<FactId> = if n == at {
                vec![fact]
            } else {
                let known = self.by_pred[atom.pred].iter().copied();
                known.filter(|f| self.facts[*f].needed && (*f < fact || n > at && *f == fact)).collect()
            };
            all = all
                .iter()
                .flat_map(|chosen| choices.iter().map(move |f| chosen.iter().copied().chain([*f]).collect()))
                .collect();
        }
        all
    }

    fn apply(
        &mut self,
        terms: &mut Terms,
        solver: &mut Embedded,
        limits: &Limits,
        c: usize,
        premises: Vec<FactId>,
        queue: &mut VecDeque<FactId>,
    ) -> Result<Option<Fired>, Inconclusive> {
        limits.budget.check()?;
        if premises.iter().any(|p| !self.facts[*p].needed) {
            return Ok(None);
        }
        let system = self.system;
        let clause = &system.clauses[c];
        let key = self.body(terms, c, &premises);
        let formulas = match &clause.head {
            None => {
                let possible = self.possible(terms, solver, limits, c, &key)?;
                return Ok(possible.then_some(Fired { clause: c, premises }));
            }
            Some(head) => self.abstracted(terms, solver, limits, c, &key, head)?,
        };
        let (Some(formulas), Some(head)) = (formulas, &clause.head) else { return Ok(None) };
        if let Some(id) = self.add(Fact { pred: head.pred, formulas, clause: c, premises, needed: true }) {
            queue.push_back(id);
        }
        Ok(None)
    }

    /// The conjuncts of a clause's body, ordered; `false` alone if one of them is.
    fn body(&self, terms: &mut Terms, c: usize, premises: &[FactId]) -> Vec<Term> {
        let clause = &self.system.clauses[c];
        let mut parts = vec![clause.constraint];
        for (atom, premise) in clause.body.iter().zip(premises) {
            let all = terms.and(&self.facts[*premise].formulas.clone());
            parts.push(self.system.meaning(terms, all, atom));
        }
        let all = terms.and(&parts);
        terms.conjuncts(all)
    }

    fn possible(
        &mut self,
        terms: &Terms,
        solver: &mut Embedded,
        limits: &Limits,
        c: usize,
        body: &[Term],
    ) -> Result<bool, Inconclusive> {
        let key = (c, body.to_vec());
        if let Some(known) = self.bodies.get(&key) {
            return Ok(known.model.is_some());
        }
        let model = match solver.check(terms, body, limits)? {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) => None,
            Answer::Unknown => return Err(Inconclusive::SolverGaveUp),
        };
        let possible = model.is_some();
        self.bodies.insert(key, Body { model, follows: FxHashMap::default() });
        Ok(possible)
    }

    /// The known formulas that follow for the head; `None` if the body is impossible.
    fn abstracted(
        &mut self,
        terms: &mut Terms,
        solver: &mut Embedded,
        limits: &Limits,
        c: usize,
        body: &[Term],
        head: &Atom,
    ) -> Result<Option<Vec<Term>>, Inconclusive> {
        if !self.possible(terms, solver, limits, c, body)? {
            return Ok(None);
        }
        let system = self.system;
        let given: FxHashSet<Term> = body.iter().copied().collect();
        let known =
            self.bodies.get_mut(&(c, body.to_vec())).expect("a body that was looked up should be known");
        let mut formulas = Vec::new();
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        for &formula in &self.predicates[head.pred] {
            let follows = match known.follows.get(&formula) {
                Some(follows) => *follows,
                None => {
                    let goal = system.meaning(terms, formula, head);
                    let model = known.model.as_ref().expect("a possible body has a model");
                    let follows = terms.as_bool(goal) == Some(true)
                        || given.contains(&goal)
                        || terms.eval_with(goal, model, &mut values).truth() && {
                            let wrong = terms.not(goal);
                            let mut assumptions = body.to_vec();
                            assumptions.extend(terms.conjuncts(wrong));
                            solver.check(terms, &assumptions, limits)?.is_unsat()
                        };
                    known.follows.insert(formula, follows);
                    follows
                }
            };
            if follows {
                formulas.push(formula);
            }
        }
        formulas.sort_unstable();
        Ok(Some(formulas))
    }

    /// Adds a fact unless a known one says no more; facts that say more are not needed then.
    fn add(&mut self, fact: Fact) -> Option<FactId> {
        let subset = |a: &[Term], b: &[Term]| a.iter().all(|t| b.binary_search(t).is_ok());
        let known = &self.by_pred[fact.pred];
        if known.iter().any(|f| self.facts[*f].needed && subset(&self.facts[*f].formulas, &fact.formulas)) {
            return None;
        }
        for f in known {
            if subset(&fact.formulas, &self.facts[*f].formulas) {
                self.facts[*f].needed = false;
            }
        }
        let pred = fact.pred;
        let id = self.facts.push(fact);
        self.by_pred[pred].push(id);
        Some(id)
    }

    /// The facts as meanings.
    pub fn solution(&self, terms: &mut Terms) -> Solution {
        let mut meanings = Vec::new();
        for pred in self.system.predicates.ids() {
            let needed = self.by_pred[pred].iter().filter(|f| self.facts[**f].needed);
            let cases: Vec<Vec<Term>> = needed.map(|f| self.facts[*f].formulas.clone()).collect();
            let cases: Vec<Term> = cases.iter().map(|c| terms.and(c)).collect();
            meanings.push(terms.or(&cases));
        }
        debug_assert_eq!(meanings.len(), self.system.predicates.next_id().index());
        meanings.into_iter().collect()
    }
}
