//! Invariants by Houdini's algorithm ([`crate::common::houdini`]), for Horn clauses: of many simple facts about each predicate, those that no clause breaks. Bodies with
//! several atoms, which interferences have, make no difference. What is left solves the clauses, queries aside.
//!
//! The facts: comparisons of variables with constants of the program and with each other, conditions of the program, which locks the thread holds,
//! and what holds once another thread has come to rest.

use crate::common::houdini::eliminate;
use crate::common::strongest::strongest;
use crate::common::vocabulary::{Sizes, Vocabulary};
use base::{Idx, Inconclusive};
use logic::chc::{Clause, PredId, Predicate, Solution, System};
use logic::{Embedded, Limits, Model as Values, Op, Solver, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::modular::{
    Blocks, FINISHED, HeldLocks, JOINED, Model, POSITION_WIDTH, Rule, TemplateId, TemplateNodeId, UNSTARTED,
    Waits,
};
use std::collections::BTreeSet;

/// For ranks, which need many invariants.
pub(super) const FOR_RANKS: Sizes = Sizes { constants: 10, all_pairs: 7, parity: false, neighbours: false };
/// For indices, which need bounds that are exact.
pub(super) const FOR_INDICES: Sizes = Sizes { constants: 24, all_pairs: 4, parity: true, neighbours: true };
/// Maximum number of facts of a predicate.
const MAX_FACTS: usize = 1_500;

/// What candidates for facts are made of.
struct CandidateVocabulary<'a> {
    model: &'a Model,
    simple: Vocabulary,
    conditions: Vec<Term>,
    locks: BTreeSet<Symbol>,
    /// The handles of templates' instances.
    handles: BTreeSet<Symbol>,
    /// Positions of threads that are created once, and where each may come to rest.
    resting: Vec<(Symbol, Vec<u128>)>,
}

/// What invariants are wanted of.
pub(super) struct Houdini<'a> {
    pub(super) model: &'a Model,
    pub(super) blocks: &'a Blocks,
    pub(super) rule: &'a Rule,
    /// The locks that each template holds at its nodes.
    pub(super) locks: &'a HeldLocks,
    pub(super) sizes: Sizes,
}

impl Houdini<'_> {
    /// The strongest solution that the facts allow.
    pub(super) fn solve(
        &self,
        terms: &mut Terms,
        solver: &mut Embedded,
        limits: &Limits,
    ) -> Result<Solution, Inconclusive> {
        let vocabulary = CandidateVocabulary::of(self, terms);
        let system = &self.rule.system;
        let mut facts: FxHashMap<PredId, Vec<Term>> = FxHashMap::default();
        let mut waiting: BTreeSet<usize> =
            (0..system.clauses.len()).filter(|c| system.clauses[*c].body.is_empty()).collect();
        while let Some(n) = waiting.pop_first() {
            let clause = &system.clauses[n];
            let Some(head) = &clause.head else { continue };
            if arrive(system, &vocabulary, clause, &mut facts, terms, solver, limits)? {
                let uses = |c: &usize| system.clauses[*c].body.iter().any(|atom| atom.pred == head.pred);
                waiting.extend((0..system.clauses.len()).filter(uses));
            }
        }
        let nothing = terms.ff();
        let mut meaning = |known: &Vec<Term>| terms.and(&strongest(terms, known));
        Ok(system.predicates.ids().map(|p| facts.get(&p).map_or(nothing, &mut meaning)).collect())
    }
}

/// Returns true if no query can be derived from a solution.
pub(super) fn refutes_queries(
    system: &System,
    facts: &Solution,
    terms: &mut Terms,
    solver: &mut Embedded,
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    for clause in system.clauses.iter().filter(|c| c.head.is_none()) {
        let mut parts = vec![clause.constraint];
        for atom in &clause.body {
            parts.push(system.meaning(terms, facts[atom.pred], atom));
        }
        let all = terms.and(&parts);
        if !solver.check(terms, &terms.conjuncts(all), limits)?.is_unsat() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes away the facts of a clause's head that need not hold; whether there were any.
fn arrive(
    system: &System,
    vocabulary: &CandidateVocabulary<'_>,
    clause: &Clause,
    facts: &mut FxHashMap<PredId, Vec<Term>>,
    terms: &mut Terms,
    solver: &mut Embedded,
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    let Some(head) = &clause.head else { return Ok(false) };
    let mut given = vec![clause.constraint];
    for atom in &clause.body {
        let Some(known) = facts.get(&atom.pred) else { return Ok(false) };
        let all = terms.and(&strongest(terms, known));
        given.push(system.meaning(terms, all, atom));
    }
    let all = terms.and(&given);
    let given = terms.conjuncts(all);
    let mut known = facts.remove(&head.pred);
    let candidates = |terms: &mut Terms, _: &Values| vocabulary.facts(&system.predicates[head.pred], terms);
    let after = |terms: &mut Terms, fact| system.meaning(terms, fact, head);
    let changed = eliminate(solver, terms, limits, &given, &mut known, candidates, after)?;
    facts.extend(known.map(|known| (head.pred, known)));
    Ok(changed)
}

impl<'a> CandidateVocabulary<'a> {
    fn of(wanted: &Houdini<'a>, terms: &Terms) -> Self {
        let system = &wanted.rule.system;
        let mut vocabulary = CandidateVocabulary {
            model: wanted.model,
            simple: Vocabulary::new(wanted.sizes),
            conditions: Vec::new(),
            locks: wanted.locks.iter().flatten().flatten().copied().collect(),
            handles: wanted.model.templates.iter().filter_map(|c| terms.as_var(c.handle)).collect(),
            resting: resting(wanted.model, wanted.blocks),
        };
        let mut roots: Vec<Term> = system.clauses.iter().map(|c| c.constraint).collect();
        let heads = system.clauses.iter().filter_map(|c| c.head.as_ref());
        roots.extend(heads.flat_map(|head| head.args.iter().copied()));
        for term in terms.subterms(&roots) {
            vocabulary.look_at(terms, term);
        }
        vocabulary
    }

    fn look_at(&mut self, terms: &Terms, term: Term) {
        let Some(variables) = self.simple.look_at(terms, term) else { return };
        self.simple.look_for_unsigned(terms, term);
        let compares = matches!(terms.op(term), Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Eq);
        if compares && !variables.iter().any(|x| terms.is_version(*x)) {
            self.conditions.push(term);
        }
    }

    /// All facts that could be of use about a predicate.
    fn facts(&self, pred: &Predicate, terms: &mut Terms) -> Vec<Term> {
        let mut facts = self.held(pred, terms);
        let is_position = |x: &Symbol| self.model.templates.iter().any(|c| c.position == Some(*x));
        let (positions, others): (Vec<Symbol>, Vec<Symbol>) =
            pred.params.iter().partition(|x| is_position(x));
        for x in &positions {
            for value in [UNSTARTED, FINISHED, JOINED] {
                let there = at(terms, *x, value);
                facts.extend([there, terms.not(there)]);
            }
        }
        let is_scalar = |x: &Symbol| matches!(terms.sort(terms.var_of(*x)), Sort::Bool | Sort::Bits(1..=64));
        let scalars: Vec<Symbol> = others.into_iter().filter(is_scalar).collect();
        // Words that hold handles of threads are no numbers: only which one it is can matter.
        let is_handle = |x: &Symbol| self.locks.contains(x) || self.handles.contains(x);
        let (names, numbers): (Vec<Symbol>, Vec<Symbol>) = scalars.iter().partition(|x| is_handle(x));
        self.simple.equations(terms, &names, &mut facts);
        self.simple.facts(terms, &numbers, &mut facts);
        for condition in &self.conditions {
            if terms.free_vars(*condition).iter().all(|x| pred.params.contains(x)) {
                facts.extend([*condition, terms.not(*condition)]);
            }
        }
        self.at_rest(pred, &scalars, terms, &mut facts);
        facts.retain(|fact| terms.as_bool(*fact).is_none());
        let mut seen = FxHashSet::default();
        facts.retain(|fact| seen.insert(*fact));
        facts.truncate(MAX_FACTS);
        facts
    }

    /// That a thread holds its locks.
    fn held(&self, pred: &Predicate, terms: &mut Terms) -> Vec<Term> {
        let mut facts = Vec::new();
        let template = &self.model.templates[TemplateId::new(pred.family % self.model.templates.len())];
        let handle = template.handle;
        let mine = if terms.width(handle) > 32 { terms.extract(31, 0, handle) } else { handle };
        for lock in self.locks.iter().filter(|lock| pred.params.contains(lock)) {
            let word = terms.var_of(*lock);
            let known = terms.free_vars(mine).iter().all(|x| pred.params.contains(x));
            if known && terms.sort(word) == terms.sort(mine) {
                let holds = terms.eq(word, mine);
                facts.extend([holds, terms.not(holds)]);
            }
        }
        facts
    }

    /// What globals are when another thread has come to rest.
    fn at_rest(&self, pred: &Predicate, scalars: &[Symbol], terms: &mut Terms, facts: &mut Vec<Term>) {
        let globals = scalars.iter().filter(|x| self.model.globals.binary_search(x).is_ok());
        let globals: Vec<Symbol> = globals.copied().collect();
        for (position, places) in self.resting.iter().filter(|(x, _)| pred.params.contains(x)) {
            for place in places {
                let there = at(terms, *position, *place);
                for x in &globals {
                    let variable = terms.var_of(*x);
                    let Sort::Bits(width) = terms.sort(variable) else { continue };
                    for value in self.simple.constants(width) {
                        let value = terms.constant(value, width);
                        let same = terms.eq(variable, value);
                        let (elsewhere, other) = (terms.not(there), terms.not(same));
                        facts.extend([terms.or2(elsewhere, same), terms.or2(elsewhere, other)]);
                    }
                }
            }
        }
    }
}

/// Where each thread that is created once may come to rest.
fn resting(model: &Model, blocks: &Blocks) -> Vec<(Symbol, Vec<u128>)> {
    let mut resting = Vec::new();
    for (c, template) in model.singles() {
        let Some(position) = template.position else { continue };
        let waits = |n: &TemplateNodeId| template.nodes[*n].waits != Waits::Never;
        let places = blocks.reached(c).into_iter().filter(waits).map(TemplateNodeId::position);
        resting.push((position, [FINISHED, JOINED].into_iter().chain(places).collect()));
    }
    resting
}

fn at(terms: &mut Terms, position: Symbol, value: u128) -> Term {
    let (now, there) = (terms.var_of(position), terms.constant(value, POSITION_WIDTH));
    terms.eq(now, there)
}
