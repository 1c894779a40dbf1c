//! Non-terminating executions, where ranking functions were not found: a lasso, and a set of states that its loop does not leave.
//!
//! For a cycle of transactions in a component that could not be cut, and a path to its first global location (a *stem*), the solver finds inputs with which
//! the stem is followed by two iterations of the cycle (the *lasso loop*), the inputs being the same in both. From the state before the first iteration a *closed recurrence set* is guessed (Gupta, Henzinger,
//! Majumdar, Rybalchenko, Xu, *Proving non-termination*, POPL 2008; closed: Chen and others, TACAS 2014): of the facts that hold there, those that an iteration
//! keeps, by elimination as for [`crate::houdini`]. If they imply that an iteration is possible, the execution never leaves them.
//!
//! Before that the solver looks for a state that one iteration leads back to; the interpreter then repeats the loop until a state recurs,
//! which is evidence enough without any set.
//!
//! # Direction of error
//! Stems and cycles are few and short, and inputs do not change from one iteration to the next: much is missed. What is found is checked by `certify`.

use super::ranks::Ranks;
use crate::houdini::{CandidateVocabulary, Facts, Graph};
use base::Inconclusive;
use evidence::{Cycle, FormulaWriter, Recurrence, Trace, TraceStep};
use logic::path::{Cmd, SymbolicStore};
use logic::{Answer, Model, Solver, Sort, Term, Value};
use program::Property;
use program::interp::{Choice, Chooser, Interp, NoObserver, State, StepResult, ThreadId};
use rustc_hash::FxHashMap;
use semantics::transition::Edge;
use semantics::transition::{Path, concretise};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

/// Cycles longer than this are not looked at.
const MAX_LENGTH: usize = 6;
/// Maximum number of cycles of a component that are tried.
const MAX_CYCLES: usize = 40;
/// Maximum number of stems, paths to a global location, that are tried.
const MAX_STEMS: usize = 12;
/// Maximum number of prefixes of stems that are tried.
const MAX_PREFIXES: usize = 250;
/// Maximum number of starts of the lasso loop that are tried for each stem and cycle.
const MAX_STARTS: usize = 9;
/// Maximum number of iterations of the lasso loop that are executed in search of a state that repeats.
const MAX_ITERATIONS: usize = 200;

/// A path from the initial state to a global location.
#[derive(Clone)]
struct Stem {
    transactions: Vec<usize>,
    store: SymbolicStore,
    conditions: Vec<Term>,
}

impl Ranks<'_, '_> {
    /// The cycles of a component, short ones first, each beginning at its control with the least number.
    pub(super) fn cycles(&self, component: &[usize]) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut queue: VecDeque<Vec<usize>> = component.iter().map(|n| vec![*n]).collect();
        let mut n_looked_at = 0;
        while let Some(way) = queue.pop_front() {
            n_looked_at += 1;
            if found.len() >= MAX_CYCLES || n_looked_at > 5_000 {
                break;
            }
            let (first, last) = (way[0], way[way.len() - 1]);
            for next in &self.arcs[last] {
                if *next == first {
                    found.push(way.clone());
                } else if *next > first
                    && way.len() < MAX_LENGTH
                    && component.binary_search(next).is_ok()
                    && !way.contains(next)
                {
                    queue.push_back(way.iter().copied().chain([*next]).collect());
                }
            }
        }
        for cycle in &mut found {
            let least = (0..cycle.len()).min_by_key(|n| self.graph.transactions[cycle[*n]].from);
            cycle.rotate_left(least.unwrap_or(0));
        }
        found
    }
}

/// Decides about a candidate: whether it really is a non-terminating execution.
type Accept<'a> = &'a dyn Fn(&Trace) -> bool;

impl Graph<'_> {
    /// An execution that stays in one of the cycles for ever.
    pub(super) fn non_terminating(
        &mut self,
        cycles: &[Vec<usize>],
        facts: &Facts,
        vocabulary: &CandidateVocabulary,
        accept: Accept<'_>,
    ) -> Result<Option<Trace>, Inconclusive> {
        let mut stems: FxHashMap<usize, Vec<Stem>> = FxHashMap::default();
        for cycle in cycles {
            self.limits.budget.check()?;
            let at = self.transactions[cycle[0]].from;
            if !self.is_alone(cycle) || !self.is_loop_feasible(facts, cycle)? {
                continue;
            }
            let here = match stems.entry(at) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(new) => new.insert(self.stems(at, facts)?).clone(),
            };
            for stem in here {
                if let Some(found) = self.repeats(&stem, cycle, accept)? {
                    return Ok(Some(found));
                }
                if let Some(found) = self.recurs(&stem, cycle, vocabulary, accept)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Returns true if all other threads have finished: then no fairness is needed.
    fn is_alone(&self, cycle: &[usize]) -> bool {
        cycle.iter().all(|n| {
            let control = self.edges.control(self.controls[self.transactions[*n].from]);
            control.threads.iter().filter(|t| !t.is_finished()).count() == 1 && control.atomic.is_none()
        })
    }

    /// Returns true if a cycle can be taken twice, as far as facts know.
    fn is_loop_feasible(&mut self, facts: &Facts, cycle: &[usize]) -> Result<bool, Inconclusive> {
        let mut conditions = facts[self.transactions[cycle[0]].from].clone().unwrap_or_default();
        let mut store = SymbolicStore::default();
        for n in cycle.iter().chain(cycle) {
            let edge = Rc::clone(&self.transactions[*n].edge);
            conditions.extend(store.run(&mut self.terms, &edge.block));
        }
        Ok(self.solver.core(&self.terms, &conditions, &self.limits)?.is_none())
    }

    /// The shortest ways to a control.
    fn stems(&mut self, target: usize, facts: &Facts) -> Result<Vec<Stem>, Inconclusive> {
        let leads = self.leads_to(target);
        let mut store = SymbolicStore::default();
        let conditions = store.run(&mut self.terms, &self.init);
        let mut found = Vec::new();
        let mut queue = VecDeque::from([Stem { transactions: Vec::new(), store, conditions }]);
        let mut n_tried = 0;
        while let Some(stem) = queue.pop_front() {
            let at = stem.transactions.last().map_or(0, |n| self.transactions[*n].to);
            if at == target {
                found.push(stem.clone());
                if found.len() >= MAX_STEMS {
                    break;
                }
            }
            for n in self.starting[at].clone() {
                let transaction = self.transactions[n].clone();
                if !leads[transaction.to] || facts[transaction.to].is_none() {
                    continue;
                }
                n_tried += 1;
                if n_tried > MAX_PREFIXES {
                    return Ok(found);
                }
                let mut next = stem.clone();
                next.conditions.extend(next.store.run(&mut self.terms, &transaction.edge.block));
                next.transactions.push(n);
                if self.solver.core(&self.terms, &next.conditions, &self.limits)?.is_none() {
                    queue.push_back(next);
                }
            }
        }
        Ok(found)
    }

    /// From which controls transactions lead to a control.
    fn leads_to(&self, target: usize) -> Vec<bool> {
        let mut leads = vec![false; self.controls.len()];
        leads[target] = true;
        let mut changed = true;
        while changed {
            changed = false;
            for transaction in &self.transactions {
                changed |= leads[transaction.to] && !leads[transaction.from];
                leads[transaction.from] |= leads[transaction.to];
            }
        }
        leads
    }

    fn edges_of(&self, transactions: &[usize]) -> Vec<Rc<Edge>> {
        transactions.iter().map(|n| Rc::clone(&self.transactions[*n].edge)).collect()
    }

    /// Runs a cycle from where a stem ends.
    fn iteration(&mut self, store: &mut SymbolicStore, cycle: &[usize]) -> Vec<Term> {
        let edges = self.edges_of(cycle);
        edges.iter().flat_map(|edge| store.run(&mut self.terms, &edge.block)).collect()
    }

    /// The execution of a stem and some iterations, as a model has it; with the number of steps before the loop.
    fn execution(
        &mut self,
        stem: &Stem,
        cycle: &[usize],
        n_iterations: usize,
        model: &Model,
    ) -> Result<(Trace, usize), Inconclusive> {
        let mut edges = self.edges_of(&stem.transactions);
        let n_before: usize = edges.iter().map(|edge| edge.steps.len()).sum();
        for _ in 0..n_iterations {
            edges.extend(self.edges_of(cycle));
        }
        let path = Path { init: &self.init, edges: &edges };
        let steps = concretise(&self.encoder, &self.edges, &mut self.terms, &path, model)?.steps;
        Ok((Trace { property: Property::Termination, steps, cycle: None }, n_before))
    }

    // ---- a state that repeats -------------------------------------------------------------------------------

    /// Looks for a state after the stem that the cycle leads back to.
    fn repeats(
        &mut self,
        stem: &Stem,
        cycle: &[usize],
        accept: Accept<'_>,
    ) -> Result<Option<Trace>, Inconclusive> {
        let mut store = stem.store.clone();
        let mut conditions = stem.conditions.clone();
        conditions.extend(self.iteration(&mut store, cycle));
        let mut live: Vec<_> = self.live[self.transactions[cycle[0]].from].iter().copied().collect();
        live.sort();
        for symbol in live {
            let (now, then) = (stem.store.value(&self.terms, symbol), store.value(&self.terms, symbol));
            conditions.push(self.terms.eq(now, then));
        }
        let Answer::Sat(model) = self.solver.check(&self.terms, &conditions, &self.limits)? else {
            return Ok(None);
        };
        let (trace, n_before) = self.execution(stem, cycle, 1, &model)?;
        let program = self.encoder.program();
        Ok(LassoLoop::run(&Interp::new(program)?, trace, n_before).filter(|trace| accept(trace)))
    }

    // ---- a set that is not left -----------------------------------------------------------------------------

    /// Looks for a set of states after the stem that the cycle, with inputs that stay the same, leads into again.
    fn recurs(
        &mut self,
        stem: &Stem,
        cycle: &[usize],
        vocabulary: &CandidateVocabulary,
        accept: Accept<'_>,
    ) -> Result<Option<Trace>, Inconclusive> {
        let mut store = stem.store.clone();
        let mut conditions = stem.conditions.clone();
        let n_havocs = store.havocs().len();
        conditions.extend(self.iteration(&mut store, cycle));
        let inputs = store.havocs()[n_havocs..].to_vec();
        conditions.extend(self.iteration(&mut store, cycle));
        let again = store.havocs()[n_havocs + inputs.len()..].to_vec();
        for (a, b) in inputs.iter().zip(&again) {
            conditions.push(self.terms.eq(*a, *b));
        }
        for wish in self.wishes(stem, cycle) {
            let wished: Vec<Term> = conditions.iter().copied().chain(wish).collect();
            if let Answer::Sat(model) = self.solver.check(&self.terms, &wished, &self.limits)?
                && let Some(found) = self.recurs_from(stem, cycle, &inputs, &model, vocabulary, accept)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Conditions on the state before the loop, so that not all attempts are alike: nothing; or that a variable is odd, keeps its
    /// value, or is the greatest there is.
    fn wishes(&mut self, stem: &Stem, cycle: &[usize]) -> Vec<Option<Term>> {
        let mut store = stem.store.clone();
        self.iteration(&mut store, cycle);
        let mut wishes = vec![None];
        let scalars = self.scalars(self.transactions[cycle[0]].from);
        for &symbol in &scalars {
            let (now, then) = (stem.store.value(&self.terms, symbol), store.value(&self.terms, symbol));
            if now == then || wishes.len() > MAX_STARTS {
                continue;
            }
            wishes.push(Some(self.terms.eq(now, then)));
            if self.terms.sort(now) != Sort::Bool {
                let (bit, one) = (self.terms.extract(0, 0, now), self.terms.constant(1, 1));
                wishes.push(Some(self.terms.eq(bit, one)));
            }
        }
        for symbol in scalars.into_iter().take(MAX_STARTS / 2) {
            let now = stem.store.value(&self.terms, symbol);
            if let Sort::Bits(width) = self.terms.sort(now) {
                let mask = program::Width(width).mask();
                for greatest in [mask, mask >> 1] {
                    let greatest = self.terms.constant(greatest, width);
                    wishes.push(Some(self.terms.eq(now, greatest)));
                }
            }
        }
        wishes
    }

    fn recurs_from(
        &mut self,
        stem: &Stem,
        cycle: &[usize],
        inputs: &[Term],
        model: &Model,
        vocabulary: &CandidateVocabulary,
        accept: Accept<'_>,
    ) -> Result<Option<Trace>, Inconclusive> {
        let inputs: Vec<u128> = inputs.iter().map(|input| bits(&self.terms.eval(*input, model))).collect();
        let Some(set) = self.closed_set(stem, cycle, &inputs, model, vocabulary)? else { return Ok(None) };
        let (mut trace, n_before) = self.execution(stem, cycle, 2, model)?;
        let Some(outcomes) = self.outcomes_of(cycle) else { return Ok(None) };
        let at = self.controls[self.transactions[cycle[0]].from];
        let mut writer = FormulaWriter::new(&self.terms);
        let set = writer.write(set);
        let formulas = writer.finish();
        trace.cycle = Some(Cycle::Recurs(Box::new(Recurrence {
            from: n_before,
            formulas,
            identities: self.encoder.interp().identities(),
            location: Arc::clone(self.edges.control(at)),
            outcomes,
            inputs,
            set,
        })));
        Ok(accept(&trace).then_some(trace))
    }

    /// The commands of an iteration in which inputs are fixed.
    fn fixed_iteration(&mut self, cycle: &[usize], inputs: &[u128]) -> Vec<Cmd> {
        let mut inputs = inputs.iter();
        let mut commands = Vec::new();
        for edge in self.edges_of(cycle) {
            for cmd in &edge.block {
                commands.push(match *cmd {
                    Cmd::Havoc(symbol) => {
                        let value = inputs.next().copied().unwrap_or(0);
                        let variable = self.terms.var_of(symbol);
                        match self.terms.constant_like(variable, value) {
                            Some(constant) => Cmd::Assign(symbol, constant),
                            None => *cmd,
                        }
                    }
                    other => other,
                });
            }
        }
        commands
    }

    fn closed_set(
        &mut self,
        stem: &Stem,
        cycle: &[usize],
        inputs: &[u128],
        model: &Model,
        vocabulary: &CandidateVocabulary,
    ) -> Result<Option<Term>, Inconclusive> {
        let at = self.transactions[cycle[0]].from;
        let commands = self.fixed_iteration(cycle, inputs);
        let mut after = SymbolicStore::default();
        let guards = after.run(&mut self.terms, &commands);
        let mut facts = self.candidates(vocabulary, at);
        facts.extend(&guards);
        for symbol in self.scalars(at) {
            let variable = self.terms.var_of(symbol);
            let now = stem.store.value(&self.terms, symbol);
            let value = bits(&self.terms.eval(now, model));
            if let Some(constant) = self.terms.constant_like(variable, value) {
                facts.push(self.terms.eq(variable, constant));
            }
        }
        facts.sort_unstable();
        facts.dedup();
        facts.retain(|fact| !self.terms.free_vars(*fact).iter().any(|s| self.terms.is_version(*s)));
        facts.retain(|fact| {
            let now = stem.store.apply(&mut self.terms, *fact);
            self.terms.eval(now, model).truth()
        });
        self.kept(facts, &guards, &after)
    }

    /// The facts that an iteration keeps, if they imply that it is possible.
    fn kept(
        &mut self,
        mut facts: Vec<Term>,
        guards: &[Term],
        after: &SymbolicStore,
    ) -> Result<Option<Term>, Inconclusive> {
        loop {
            self.limits.budget.check()?;
            let then: Vec<Term> = facts.iter().map(|fact| after.apply(&mut self.terms, *fact)).collect();
            let all: Vec<Term> = then.iter().chain(guards).copied().collect();
            let fine = self.terms.and(&all);
            let mut query = facts.clone();
            query.push(self.terms.not(fine));
            let model = match self.solver.check(&self.terms, &query, &self.limits)? {
                Answer::Unsat(_) => return Ok(Some(self.terms.and(&facts))),
                Answer::Unknown => return Ok(None),
                Answer::Sat(model) => model,
            };
            let mut known = FxHashMap::default();
            let mut holds = |t: Term| self.terms.eval_with(t, &model, &mut known).truth();
            // Facts that are no guards can go; a guard that does not hold here has to be excluded, and nothing does that.
            if guards.iter().any(|guard| !holds(*guard)) {
                return Ok(None);
            }
            let kept: Vec<bool> = then.iter().map(|t| holds(*t)).collect();
            let mut at = kept.iter();
            facts.retain(|_| at.next().copied().unwrap_or(true));
        }
    }

    /// The outcomes that an iteration takes, action by action.
    fn outcomes_of(&mut self, cycle: &[usize]) -> Option<Vec<(ThreadId, usize)>> {
        let mut found = Vec::new();
        let mut control = (**self.edges.control(self.controls[self.transactions[cycle[0]].from])).clone();
        for n in cycle {
            let transaction = self.transactions[*n].clone();
            for block in &transaction.edge.steps {
                let outcomes = self.encoder.successors(&mut self.terms, &control, transaction.thread);
                let at = outcomes.iter().position(|outcome| outcome.block == *block)?;
                found.push((transaction.thread, at));
                control = outcomes.into_iter().nth(at)?.control;
            }
        }
        Some(found)
    }
}

fn bits(value: &Value) -> u128 {
    match value {
        Value::Bool(truth) => u128::from(*truth),
        Value::Array(_) => 0,
        other => other.bits(),
    }
}

/// Repeats a loop in the interpreter until a state recurs.
struct LassoLoop {
    inputs: VecDeque<u128>,
    given: Vec<u128>,
}

impl LassoLoop {
    /// The execution, with as many iterations as needed and the last ones marked as repeating.
    fn run(interp: &Interp<'_>, mut trace: Trace, from: usize) -> Option<Trace> {
        let mut state = interp.initial();
        let mut inputs: Vec<Vec<u128>> = Vec::new();
        for (n, step) in trace.steps.iter().enumerate() {
            let mut recorder = Recorder { choices: step.choices.iter(), inputs: Vec::new() };
            let result = interp.step(&mut state, step.thread, &mut recorder, &mut NoObserver);
            if result != StepResult::Continue {
                return None;
            }
            if n >= from {
                inputs.push(recorder.inputs);
            }
        }
        let iteration: Vec<ThreadId> = trace.steps[from..].iter().map(|step| step.thread).collect();
        let mut seen: FxHashMap<State, usize> = FxHashMap::default();
        for _ in 0..MAX_ITERATIONS {
            if let Some(start) = seen.insert(state.clone(), trace.steps.len()) {
                trace.cycle = Some(Cycle::Repeats { from: start });
                return Some(trace);
            }
            for (thread, inputs) in iteration.iter().zip(&inputs) {
                let mut lasso_loop =
                    LassoLoop { inputs: inputs.iter().copied().collect(), given: Vec::new() };
                let result = interp.step(&mut state, *thread, &mut lasso_loop, &mut NoObserver);
                if result != StepResult::Continue {
                    return None;
                }
                trace.steps.push(TraceStep { thread: *thread, choices: lasso_loop.given });
            }
        }
        None
    }
}

impl Chooser for LassoLoop {
    fn choose(&mut self, width: program::Width, what: &Choice) -> Option<u128> {
        let value = match what {
            Choice::Input(_) => self.inputs.pop_front().unwrap_or(0),
            Choice::Indeterminate(_) | Choice::Waiter { .. } | Choice::Leave { .. } => 0,
        };
        let value = width.truncate(value);
        self.given.push(value);
        Some(value)
    }
}

/// Repeats choices and notes those that are inputs.
struct Recorder<'a> {
    choices: std::slice::Iter<'a, u128>,
    inputs: Vec<u128>,
}

impl Chooser for Recorder<'_> {
    fn choose(&mut self, _width: program::Width, what: &Choice) -> Option<u128> {
        let value = *self.choices.next()?;
        if matches!(what, Choice::Input(_)) {
            self.inputs.push(value);
        }
        Some(value)
    }
}
