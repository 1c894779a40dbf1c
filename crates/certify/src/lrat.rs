//! A checker of the SAT solver's derivations. It shares no code with the solver and trusts none of its data structures.
//!
//! # What is checked
//! [`logic::solver::derivation`] says what a derivation is. The checker keeps a set of clauses with the invariant
//!
//! > every clause of the set, and every literal in `permanent`, is implied by the axioms.
//!
//! | event | procedure | keeps the invariant because |
//! |---|---|---|
//! | axiom | it is added | it implies itself |
//! | derived clause | [`Checker::follows`]: all its literals are assumed false; each hint whose other literals are false makes its last literal true; a hint with all literals false is a contradiction | reverse unit propagation: the clauses used and the negated clause contradict each other |
//! | deletion | the clause is removed | a subset is implied, too |
//!
//! An answer "these assumptions are impossible" is confirmed if the last derived clause has only negated assumptions among its literals.
//!
//! # Direction of error
//! May reject a correct derivation whose hints are in another order, never accepts a clause that does not follow. A hint that is
//! not unit is skipped: it adds nothing, so skipping is sound. After the first rejected clause no answer is confirmed any more, since
//! that is a bug of ours.

use logic::solver::derivation::{ClauseId, DerivationLog, Lit};

/// The clauses that are known to follow.
#[derive(Default)]
pub struct Checker {
    /// The literals of all clauses, one clause after the other.
    arena: Vec<Lit>,
    /// By id: where the literals of a clause are; empty for deleted clauses.
    spans: Vec<(u32, u32)>,
    /// How many words of the arena belong to deleted clauses.
    n_dead: usize,
    /// By literal: true by assumption, by a hint, or for good.
    is_true: Vec<bool>,
    /// The literals that are true until the end of a step.
    temporary: Vec<Lit>,
    /// The empty clause follows.
    is_contradictory: bool,
    /// The last derived clause, if it was accepted.
    last: Option<Vec<Lit>>,
    /// The first step that was rejected.
    failure: Option<String>,
}

/// Below this many dead words the arena is not compacted.
const MIN_DEAD: usize = 1 << 16;

impl DerivationLog for Checker {
    fn axiom(&mut self, lits: &[Lit]) -> ClauseId {
        self.add(lits)
    }

    fn derive(&mut self, lits: &[Lit], hints: &[ClauseId]) -> ClauseId {
        if !self.follows(lits, hints) {
            self.last = None;
            let what = || format!("clause {} of {} literals does not follow", self.spans.len(), lits.len());
            self.failure = self.failure.take().or_else(|| Some(what()));
            self.spans.push((0, 0));
            return self.last_id();
        }
        self.last = Some(lits.to_vec());
        self.add(lits)
    }

    fn delete(&mut self, clause: ClauseId) {
        if let Some(span) = self.spans.get_mut(clause.0 as usize) {
            self.n_dead += (span.1 - span.0) as usize;
            *span = (0, 0);
        }
        if self.n_dead > MIN_DEAD.max(self.arena.len() / 2) {
            self.compact();
        }
    }

    fn check_refutation(&mut self, core: &[Lit]) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let refutes = |clause: &Vec<Lit>| clause.iter().all(|&lit| core.contains(&!lit));
        if self.is_contradictory || self.last.as_ref().is_some_and(refutes) {
            return Ok(());
        }
        Err("the derivation does not refute the assumptions".to_owned())
    }

    fn restart(&mut self) {
        let failure = self.failure.take();
        *self = Checker { failure, ..Checker::default() };
    }
}

impl Checker {
    /// Decides whether a clause follows from the hints by unit propagation in their order.
    fn follows(&mut self, lits: &[Lit], hints: &[ClauseId]) -> bool {
        // A clause with a literal that is true for good, or with a literal and its negation, follows from nothing else.
        let mut is_refuted = self.is_contradictory || lits.iter().any(|&lit| !self.make_true(!lit));
        for hint in hints {
            if is_refuted {
                break;
            }
            is_refuted = self.propagate(*hint);
        }
        for lit in self.temporary.drain(..) {
            self.is_true[lit.index()] = false;
        }
        is_refuted
    }

    /// Makes the last open literal of a clause true, if there is just one; returns true if there is none and the clause is false.
    fn propagate(&mut self, clause: ClauseId) -> bool {
        let Some(&(start, end)) = self.spans.get(clause.0 as usize) else { return false };
        if start == end {
            return false;
        }
        let mut open = None;
        for at in start..end {
            let lit = self.arena[at as usize];
            if self.is_true((!lit).index()) {
                continue;
            }
            if open.is_some_and(|other| other != lit) || self.is_true(lit.index()) {
                return false;
            }
            open = Some(lit);
        }
        open.is_none_or(|lit| !self.make_true(lit))
    }

    fn is_true(&self, index: usize) -> bool {
        self.is_true.get(index).copied().unwrap_or(false)
    }

    /// Makes a literal true until the end of the step; returns false if it is false.
    fn make_true(&mut self, lit: Lit) -> bool {
        if self.is_true((!lit).index()) {
            return false;
        }
        let n = lit.index().max((!lit).index()) + 1;
        if self.is_true.len() < n {
            self.is_true.resize(n.next_power_of_two(), false);
        }
        if !std::mem::replace(&mut self.is_true[lit.index()], true) {
            self.temporary.push(lit);
        }
        true
    }

    /// Adds a clause that follows; a clause of one literal makes it true for good.
    fn add(&mut self, lits: &[Lit]) -> ClauseId {
        match lits {
            [] => self.is_contradictory = true,
            [only] => {
                self.is_contradictory |= !self.make_true(*only);
                // For good: it is not taken back at the end of a step.
                self.temporary.clear();
            }
            _ => {}
        }
        let start = position(self.arena.len());
        self.arena.extend_from_slice(lits);
        self.spans.push((start, position(self.arena.len())));
        self.last_id()
    }

    fn last_id(&self) -> ClauseId {
        ClauseId(position(self.spans.len() - 1))
    }

    /// Moves the clauses that are left to the front of the arena.
    fn compact(&mut self) {
        let mut arena = Vec::with_capacity(self.arena.len() - self.n_dead);
        for span in &mut self.spans {
            let start = position(arena.len());
            arena.extend_from_slice(&self.arena[span.0 as usize..span.1 as usize]);
            *span = (start, position(arena.len()));
        }
        self.arena = arena;
        self.n_dead = 0;
    }
}

fn position(n: usize) -> u32 {
    u32::try_from(n).expect("a derivation should fit 2^32 words")
}

#[cfg(test)]
mod tests;
