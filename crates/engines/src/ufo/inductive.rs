//! Labels that survive another iteration: at the head of a loop, of all labels that rule out the error those are best that hold again
//! after the loop's body, because then the next iteration is covered.
//!
//! The facts collected at a head are sufficient, but some are about this iteration only. Repeatedly dropping what an iteration does not preserve (Houdini's
//! algorithm, Flanagan and Leino, FME 2001) leaves the largest subset that is inductive; if it is still sufficient, it becomes the label. If not, the
//! simple facts of [`super::templates`] may be what is missing.

use super::Ufo;
use super::arg::{ArgEdge, NodeId};
use super::dag_interpolants::{Entries, MAX_DROPS};
use super::interrupt::Interrupt;
use super::refine::ArgCond;
use logic::Term;

/// Simple facts are tried on loops whose guard is at most so large: on others there are too many of them, and each is dear.
const MAX_GUARD: usize = 150;

impl Ufo<'_> {
    /// The edges that lead from a head to its next iteration.
    fn iteration_edges(&self, v: NodeId) -> Vec<ArgEdge> {
        let location = self.arg.nodes[v].location;
        let iterations = |e: &&ArgEdge| e.to.is_some_and(|w| self.arg.nodes[w].location == location);
        self.arg.edges(v).iter().filter(iterations).cloned().collect()
    }

    /// Returns true if a fact, together with the others, holds after another iteration.
    pub(super) fn survives(&mut self, v: NodeId, fact: Term, facts: &[Term]) -> Result<bool, Interrupt> {
        let mut all = facts.to_vec();
        all.push(fact);
        let pre = self.terms.and(&all);
        for edge in self.iteration_edges(v) {
            if !self.holds(pre, &edge, fact)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The facts that hold after another iteration, given that they hold before it.
    fn houdini(&mut self, iterations: &[ArgEdge], mut facts: Vec<Term>) -> Result<Vec<Term>, Interrupt> {
        loop {
            let pre = self.terms.and(&facts);
            let mut kept = Vec::new();
            for &fact in &facts {
                let mut stays = true;
                for edge in iterations {
                    stays = stays && self.holds(pre, edge, fact)?;
                }
                if stays {
                    kept.push(fact);
                }
            }
            if kept.len() == facts.len() {
                return Ok(kept);
            }
            facts = kept;
        }
    }

    /// A subset of `facts`, or of these and simple ones, that is inductive and rules out the error, without what it can do without.
    pub(super) fn inductive(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        entries: &Entries,
        facts: &[Term],
    ) -> Result<Option<Term>, Interrupt> {
        let iterations = self.iteration_edges(v);
        if iterations.is_empty() {
            return Ok(None);
        }
        let mut kept = self.houdini(&iterations, facts.to_vec())?;
        if self.needed(cond, v, &kept)?.is_none() {
            let guards: Vec<Term> = iterations.iter().map(|e| e.block.edges[e.key.2].guard).collect();
            if guards.iter().any(|g| self.terms.size(*g) > MAX_GUARD) {
                return Ok(None);
            }
            let need = cond.need.get(&v).cloned().unwrap_or_default();
            let simple = self.simple_facts(&guards, Some(&need));
            let mut all = self.after_each(entries, &simple)?;
            all.extend(facts);
            kept = self.houdini(&iterations, all)?;
            if self.needed(cond, v, &kept)?.is_none() {
                return Ok(None);
            }
        }
        self.drop_inductively(cond, v, &iterations, kept).map(Some)
    }

    /// Drops facts as long as what remains, without what depended on them, is sufficient.
    fn drop_inductively(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        iterations: &[ArgEdge],
        mut kept: Vec<Term>,
    ) -> Result<Term, Interrupt> {
        // All that the solver's core does not name may go at once, if what it names stays inductive.
        let core = self.needed(cond, v, &kept)?.unwrap_or_default();
        let named = self.houdini(iterations, core)?;
        if self.needed(cond, v, &named)?.is_some() {
            kept = named;
        }
        let mut at = 0;
        for _ in 0..MAX_DROPS {
            if at >= kept.len() {
                break;
            }
            let mut fewer = kept.clone();
            fewer.remove(at);
            let smaller = self.houdini(iterations, fewer)?;
            if self.needed(cond, v, &smaller)?.is_some() {
                kept = smaller;
            } else {
                at += 1;
            }
        }
        Ok(self.terms.and(&kept))
    }
}
