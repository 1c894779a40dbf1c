//! What a proof needs beside ranks.

use crate::houdini::{Facts, Graph};
use base::Inconclusive;
use evidence::{Proof, RankingProof, Stage};
use logic::{Solver, Term};
use program::interp::ThreadId;
use std::sync::Arc;

impl Graph<'_> {
    /// That at every control where threads are left one of them can move.
    pub(super) fn some_thread_moves(&mut self, facts: &Facts) -> Result<(), Inconclusive> {
        'controls: for (at, facts) in facts.iter().enumerate() {
            let Some(mut conditions) = facts.clone() else { continue };
            let control = Arc::clone(self.edges.control(self.controls[at]));
            let threads: Vec<ThreadId> = control.movable().collect();
            if threads.is_empty() || control.atomic.is_some() {
                continue;
            }
            for thread in threads {
                let Some(moves) = self.moves(at, thread) else { continue 'controls };
                conditions.push(self.terms.not(moves));
            }
            if self.solver.core(&self.terms, &conditions, &self.limits)?.is_none() {
                return Err(Inconclusive::NoProof("all threads may be blocked".to_owned()));
            }
        }
        Ok(())
    }

    /// The proof.
    pub(super) fn into_ranking(self, facts: &Facts, stages: Vec<Stage<Term>>) -> Proof {
        let (invariants, stages) = self.into_invariants(facts, |writer| {
            stages.into_iter().map(|stage| stage.map(|value| writer.formula(value))).collect()
        });
        Proof::Ranking(Box::new(RankingProof { invariants, stages }))
    }
}
