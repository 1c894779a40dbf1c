//! POST: what holds behind an edge, in terms of the predicates of the control there.
//!
//! | `--post` | what is returned for an edge from ψ | queries |
//! |---|---|---|
//! | `none` | `true` | 0 |
//! | `cartesian` | the conjunction of the predicates, and negated predicates, that hold | two for each predicate |
//! | `boolean` | the strongest Boolean combination of predicates that holds | one for each combination that is reachable, one for each clause |
//!
//! The Boolean abstraction is found from outside: candidates are the combinations that its clauses so far allow; one that cannot be
//! reached has a core, and the core's negation is the next clause. Clauses are implied one by one, so stopping early is sound.

use super::arg::{ArgEdge, NodeId};
use super::interrupt::Interrupt;
use super::{Post, Ufo};
use logic::{Answer, Op, Solver, Term};
use std::time::Instant;

/// Candidates tried for one edge.
const MAX_CANDIDATES: usize = 96;
/// Predicates of a control that the Boolean abstraction combines; the others are used one by one.
const MAX_COMBINED: usize = 24;

impl Ufo<'_> {
    /// ∨ POST(e) over the edges by which a pass came to `v`.
    pub(super) fn post(&mut self, v: NodeId, arrivals: &[(NodeId, usize)]) -> Result<Term, Interrupt> {
        let location = self.arg.nodes[v].location;
        let predicates = self.predicates.get(&location).cloned().unwrap_or_default();
        if self.options.post == Post::None || predicates.is_empty() {
            return Ok(self.terms.tt());
        }
        let start = Instant::now();
        let mut parts = Vec::new();
        for &(u, n) in arrivals {
            let edge = self.arg.edges(u)[n].clone();
            let psi = self.arg.nodes[u].psi;
            let part = self.abstraction(psi, &edge, &predicates)?;
            parts.push(part);
        }
        self.stats.post += start.elapsed();
        Ok(self.terms.or(&parts))
    }

    fn abstraction(&mut self, psi: Term, edge: &ArgEdge, predicates: &[Term]) -> Result<Term, Interrupt> {
        let (mut facts, mut open) = (Vec::new(), Vec::new());
        for &predicate in predicates {
            let negated = self.terms.not(predicate);
            if self.holds(psi, edge, predicate)? {
                facts.push(predicate);
            } else if self.holds(psi, edge, negated)? {
                facts.push(negated);
            } else {
                open.push(predicate);
            }
        }
        if self.options.post == Post::Boolean && open.len() > 1 {
            open.retain(|p| self.terms.op(*p) != Op::And);
            open.truncate(MAX_COMBINED);
            let clauses = self.clauses(psi, edge, &facts, &open)?;
            facts.extend(clauses);
        }
        Ok(self.terms.and(&facts))
    }

    /// Clauses over `open` that hold behind the edge, all of them unless they are too many.
    fn clauses(
        &mut self,
        psi: Term,
        edge: &ArgEdge,
        facts: &[Term],
        open: &[Term],
    ) -> Result<Vec<Term>, Interrupt> {
        let taken = &edge.block.edges[edge.key.2];
        let mut reached = self.terms.conjuncts(psi);
        reached.extend(self.terms.conjuncts(taken.guard));
        let (mut clauses, mut seen) = (Vec::new(), Vec::new());
        for _ in 0..MAX_CANDIDATES {
            let allowed: Vec<Term> = facts.iter().chain(&clauses).chain(&seen).copied().collect();
            let Answer::Sat(model) = self.solver.check(&self.terms, &allowed, &self.limits)? else { break };
            let literals: Vec<Term> = open
                .iter()
                .map(|&p| if self.terms.eval(p, &model).truth() { p } else { self.terms.not(p) })
                .collect();
            let behind: Vec<Term> =
                literals.iter().map(|&l| self.terms.substitute(l, &taken.store)).collect();
            let question: Vec<Term> = reached.iter().chain(&behind).copied().collect();
            match self.solver.check(&self.terms, &question, &self.limits)? {
                Answer::Unsat(core) => {
                    let core = self.solver.minimise(&self.terms, &core, 2 * open.len(), &self.limits)?;
                    let blamed = |n: &usize| core.contains(&behind[*n]) && !reached.contains(&behind[*n]);
                    let cube: Vec<Term> = (0..open.len()).filter(blamed).map(|n| literals[n]).collect();
                    clauses.push(self.excluding(&cube));
                }
                Answer::Sat(_) => seen.push(self.excluding(&literals)),
                Answer::Unknown => break,
            }
        }
        Ok(clauses)
    }

    fn excluding(&mut self, cube: &[Term]) -> Term {
        let cube = self.terms.and(cube);
        self.terms.not(cube)
    }
}
