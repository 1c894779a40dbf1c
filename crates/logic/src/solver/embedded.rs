//! The embedded back end: our bit-blaster onto our SAT solver, in process.
//!
//! Translations are kept for good, until there are more than [`MAX_VARS`], where memory would suffer: then the solver
//! starts afresh and translates again what a query needs, a few microseconds per term.

use super::arrays::{ArrayCone, Refined};
use super::blast::Blaster;
use super::derivation::DerivationLog;
use super::quick::{Look, Quick};
use super::sat::{Lit, Verdict};
use super::{Answer, Limits, Solver, SolverStatistics};
use crate::term::{Marks, Model, Sort, Term, Terms, Value};
use base::Inconclusive;
use rustc_hash::FxHashSet;
use std::time::Instant;

/// Start afresh above this many SAT variables.
const MAX_VARS: u32 = 5_000_000;
/// Start afresh when clauses, forgotten ones included, take this many words.
const MAX_WORDS: usize = 1 << 27;

/// The embedded solver.
pub struct Embedded {
    blaster: Blaster,
    quick: Quick,
    marks: Marks,
    statistics: SolverStatistics,
    /// Conflicts and terms of earlier blasters.
    past: (u64, u64, u64),
    /// Every `Unsat` has to be confirmed by the log.
    is_checked: bool,
}

impl Default for Embedded {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedded {
    /// A solver that knows no term yet.
    pub fn new() -> Self {
        Self::with(None)
    }

    /// A solver whose `Unsat` answers are confirmed by `log`; where it does not confirm one, the result is
    /// [`Inconclusive::CheckFailed`]. All of them come from the search: answers of `quick` have no derivation.
    pub fn checked_by(log: Box<dyn DerivationLog>) -> Self {
        Self::with(Some(log))
    }

    fn with(log: Option<Box<dyn DerivationLog>>) -> Self {
        Self {
            is_checked: log.is_some(),
            blaster: Blaster::new(log),
            quick: Quick::default(),
            marks: Marks::default(),
            statistics: SolverStatistics::default(),
            past: (0, 0, 0),
        }
    }

    fn start_afresh_if_bloated(&mut self) {
        let gates = &self.blaster.gates;
        if gates.n_vars() <= MAX_VARS && gates.n_words() <= MAX_WORDS {
            return;
        }
        self.past.0 += self.blaster.gates.n_conflicts();
        self.past.1 += self.blaster.n_encoded;
        self.past.2 += self.blaster.arrays.n_lemmas;
        let old = std::mem::replace(&mut self.blaster, Blaster::new(None));
        self.blaster = Blaster::new(old.gates.into_log());
        self.statistics.restarts += 1;
    }

    /// What can be said without search. An `Unsat` that has to be confirmed needs a derivation, so it is left to the search, unless the
    /// constant `false` is assumed.
    fn look(&mut self, terms: &Terms, assumptions: &[Term], subterms: &[Term]) -> Look {
        if self.is_checked {
            return Look::Open;
        }
        if let Some(&no) = assumptions.iter().find(|&&t| terms.as_bool(t) == Some(false)) {
            return Look::Unsat(vec![no]);
        }
        if self.is_checked {
            return Look::Open;
        }
        match self.quick.opposites(terms, assumptions) {
            Some(core) => Look::Unsat(core),
            None => self.quick.by_constants(terms, subterms, assumptions),
        }
    }

    fn answer(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Answer, Inconclusive> {
        let subterms = terms.subterms_with(assumptions, &mut self.marks);
        match self.look(terms, assumptions, &subterms) {
            Look::Unsat(core) => Ok(Answer::Unsat(core)),
            Look::Sat | Look::Open => self.search(terms, assumptions, &subterms, limits),
        }
    }

    fn search(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        subterms: &[Term],
        limits: &Limits,
    ) -> Result<Answer, Inconclusive> {
        self.statistics.searches += 1;
        self.start_afresh_if_bloated();
        let lits: Vec<Lit> = assumptions.iter().map(|&t| self.blaster.literal(terms, t)).collect();
        let cone = self.blaster.array_cone(terms, subterms);
        loop {
            let inputs = self.inputs(terms, subterms, &cone);
            match self.blaster.gates.solve(&lits, &inputs, &limits.budget, limits.conflicts)? {
                Verdict::Unknown => return Ok(Answer::Unknown),
                Verdict::Unsat => return self.refuted(terms, assumptions, &lits).map(Answer::Unsat),
                Verdict::Sat => {}
            }
            let mut model = scalar_values(&self.blaster, terms, subterms);
            match self.blaster.refine(terms, &cone, &mut model) {
                Refined::Consistent => return Ok(Answer::Sat(model)),
                Refined::Lemmas => {}
                Refined::GaveUp => return Ok(Answer::Unknown),
            }
        }
    }

    /// The SAT variables that determine everything in a query.
    fn inputs(&self, terms: &Terms, subterms: &[Term], cone: &ArrayCone) -> Vec<u32> {
        let variables = subterms.iter().filter(|&&t| terms.as_var(t).is_some());
        let mut inputs: Vec<u32> = variables.flat_map(|&t| self.blaster.word(t)).map(|l| l.var()).collect();
        inputs.extend(self.blaster.array_inputs(cone).into_iter().map(Lit::var));
        inputs
    }

    /// The core of an unsatisfiable query, confirmed by the log if there is one. The literals of the core are looked up anew: what
    /// is confirmed is that *these terms* are impossible.
    fn refuted(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        lits: &[Lit],
    ) -> Result<Vec<Term>, Inconclusive> {
        let core = self.failed(assumptions, lits);
        if self.is_checked {
            let lits: Vec<Lit> = core.iter().map(|&t| self.blaster.literal(terms, t)).collect();
            let confirmed = self.blaster.gates.check_refutation(&lits);
            confirmed
                .map_err(|why| Inconclusive::CheckFailed(format!("an answer of the SAT solver: {why}")))?;
        }
        Ok(core)
    }

    fn failed(&self, assumptions: &[Term], lits: &[Lit]) -> Vec<Term> {
        let failed: FxHashSet<Lit> = self.blaster.gates.core().iter().copied().collect();
        let pairs = assumptions.iter().zip(lits).filter(|(_, lit)| failed.contains(lit));
        let mut core: Vec<Term> = pairs.map(|(&t, _)| t).collect();
        core.dedup();
        core
    }
}

fn scalar_values(blaster: &Blaster, terms: &Terms, subterms: &[Term]) -> Model {
    let mut model = Model::default();
    for &t in subterms {
        let Some(symbol) = terms.as_var(t) else { continue };
        let value = match terms.sort(t) {
            Sort::Bool => Value::Bool(blaster.gates.value(blaster.word(t)[0])),
            Sort::Bits(_) => Value::Bits(blaster.value(blaster.word(t))),
            Sort::Array { .. } => continue,
        };
        model.set(symbol, value);
    }
    model
}

impl Solver for Embedded {
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Answer, Inconclusive> {
        let start = Instant::now();
        limits.budget.check()?;
        let answer = self.answer(terms, assumptions, limits);
        self.statistics.calls += 1;
        self.statistics.seconds += start.elapsed().as_secs_f64();
        match &answer {
            Ok(Answer::Sat(model)) => {
                self.statistics.sat += 1;
                debug_assert!(
                    assumptions.iter().all(|&t| terms.eval(t, model).truth()),
                    "a model should satisfy its assumptions"
                );
            }
            Ok(Answer::Unsat(core)) => {
                self.statistics.unsat += 1;
                debug_assert!(core.iter().all(|t| assumptions.contains(t)), "a core should be assumed");
            }
            Ok(Answer::Unknown) | Err(_) => {}
        }
        answer
    }

    fn core(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Option<Vec<Term>>, Inconclusive> {
        let start = Instant::now();
        limits.budget.check()?;
        self.statistics.calls += 1;
        let subterms = terms.subterms_with(assumptions, &mut self.marks);
        let answer = match self.look(terms, assumptions, &subterms) {
            Look::Unsat(core) => Some(core),
            Look::Sat => None,
            Look::Open if self.quick.by_models(terms, &subterms, assumptions) => {
                self.statistics.remembered += 1;
                None
            }
            Look::Open => match self.search(terms, assumptions, &subterms, limits)? {
                Answer::Unsat(core) => Some(core),
                Answer::Sat(model) => {
                    self.quick.remember(model);
                    None
                }
                Answer::Unknown => None,
            },
        };
        self.statistics.seconds += start.elapsed().as_secs_f64();
        *if answer.is_some() { &mut self.statistics.unsat } else { &mut self.statistics.sat } += 1;
        Ok(answer)
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics {
            conflicts: self.past.0 + self.blaster.gates.n_conflicts(),
            encoded_terms: self.past.1 + self.blaster.n_encoded,
            lemmas: self.past.2 + self.blaster.arrays.n_lemmas,
            ..self.statistics
        }
    }
}
