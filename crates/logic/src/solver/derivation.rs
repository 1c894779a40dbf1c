//! What the SAT solver says about how it came to its answers, for a checker that does not believe it.
//!
//! # The format
//! LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, *Efficient certified RAT verification*, CADE 2017) without its RAT
//! part, in memory and incremental: the formula grows between queries, and each query has assumptions.
//!
//! | event | means |
//! |---|---|
//! | [`axiom`](DerivationLog::axiom) | a clause of the formula: of the definition of a gate, or a lemma of the theory of arrays. The bit-blaster states it |
//! | [`derive`](DerivationLog::derive) | a clause that follows by unit propagation through the hints, in their order |
//! | [`delete`](DerivationLog::delete) | a derived clause that no later hint names |
//! | [`check_refutation`](DerivationLog::check_refutation) | the solver answered that these assumptions are impossible: do the derived clauses say so? |
//!
//! # Deviation from LRAT
//! Literals that are false at level 0 are not explained again in later hints: a derived clause of one literal holds for good, and the
//! checker is expected to use it without being told.
//!
//! # Who is trusted
//! The events `axiom` come from the bit-blaster, before any search; all others come from the search, which is not trusted.

pub use super::sat::Lit;

/// The number of a clause in a derivation, given by the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ClauseId(pub u32);

impl ClauseId {
    /// The id after this one; axioms of one gate are numbered in a row.
    #[must_use]
    pub fn next(self) -> Self {
        ClauseId(self.0.wrapping_add(1))
    }
}

/// Receives the derivation of a SAT solver. Ids of consecutive clauses are consecutive.
pub trait DerivationLog {
    /// A clause that holds by definition.
    fn axiom(&mut self, lits: &[Lit]) -> ClauseId;
    /// A clause that follows from the clauses `hints` by unit propagation in this order, under the units derived before.
    fn derive(&mut self, lits: &[Lit], hints: &[ClauseId]) -> ClauseId;
    /// A derived clause that is not needed any more.
    fn delete(&mut self, clause: ClauseId);
    /// Decides whether the clauses derived so far refute the assumptions `core`; an error says why they do not.
    fn check_refutation(&mut self, core: &[Lit]) -> Result<(), String>;
    /// Forgets everything: the solver starts again with another formula.
    fn restart(&mut self);
}
